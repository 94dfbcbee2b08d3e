/* rapidsnark's entry points, with its signatures and return codes: a program that links rapidsnark links
 * libpenstock instead. Both curves work. Differences: a proof is verified before it is handed out (an
 * unsatisfied witness is an error, not an invalid proof), and keys are checked. Buffers: *proof_size and
 * *public_size hold the buffers' sizes on entry and the texts' lengths (without the final zero) on success,
 * or the sizes needed when the answer is PROVER_ERROR_SHORT_BUFFER. Texts end with a zero byte. error_msg may
 * be NULL; it always ends with a zero byte. */
#ifndef PENSTOCK_RAPIDSNARK_H
#define PENSTOCK_RAPIDSNARK_H

#ifdef __cplusplus
extern "C" {
#endif

#define PENSTOCK_RAPIDSNARK_API __attribute__((visibility("default")))

#define PROVER_OK 0x0
#define PROVER_ERROR 0x1
#define PROVER_ERROR_SHORT_BUFFER 0x2
#define PROVER_INVALID_WITNESS_LENGTH 0x3

#define VERIFIER_VALID_PROOF 0x0
#define VERIFIER_INVALID_PROOF 0x1
#define VERIFIER_ERROR 0x2

/* The size of a buffer that holds the key's public signals as JSON. */
PENSTOCK_RAPIDSNARK_API int groth16_public_size_for_zkey_buf(const void* zkey_buffer,
                                                             unsigned long long zkey_size,
                                                             unsigned long long* public_size, char* error_msg,
                                                             unsigned long long error_msg_maxsize);
PENSTOCK_RAPIDSNARK_API int groth16_public_size_for_zkey_file(const char* zkey_fname,
                                                              unsigned long long* public_size,
                                                              char* error_msg,
                                                              unsigned long long error_msg_maxsize);
/* The size of a buffer that holds a proof of either curve as JSON. */
PENSTOCK_RAPIDSNARK_API void groth16_proof_size(unsigned long long* proof_size);

/* A prover that keeps its key. The buffer may be freed after the call. */
PENSTOCK_RAPIDSNARK_API int groth16_prover_create(void** prover_object, const void* zkey_buffer,
                                                  unsigned long long zkey_size, char* error_msg,
                                                  unsigned long long error_msg_maxsize);
PENSTOCK_RAPIDSNARK_API int groth16_prover_create_zkey_file(void** prover_object, const char* zkey_file_path,
                                                            char* error_msg,
                                                            unsigned long long error_msg_maxsize);
PENSTOCK_RAPIDSNARK_API int groth16_prover_prove(void* prover_object, const void* wtns_buffer,
                                                 unsigned long long wtns_size, char* proof_buffer,
                                                 unsigned long long* proof_size, char* public_buffer,
                                                 unsigned long long* public_size, char* error_msg,
                                                 unsigned long long error_msg_maxsize);
PENSTOCK_RAPIDSNARK_API void groth16_prover_destroy(void* prover_object);

/* One proof from a key in memory, or in a file. */
PENSTOCK_RAPIDSNARK_API int groth16_prover(const void* zkey_buffer, unsigned long long zkey_size,
                                           const void* wtns_buffer, unsigned long long wtns_size,
                                           char* proof_buffer, unsigned long long* proof_size,
                                           char* public_buffer, unsigned long long* public_size,
                                           char* error_msg, unsigned long long error_msg_maxsize);
PENSTOCK_RAPIDSNARK_API int groth16_prover_zkey_file(const char* zkey_file_path, const void* wtns_buffer,
                                                     unsigned long long wtns_size, char* proof_buffer,
                                                     unsigned long long* proof_size, char* public_buffer,
                                                     unsigned long long* public_size, char* error_msg,
                                                     unsigned long long error_msg_maxsize);

/* `proof`, `inputs` and `verification_key` are JSON texts. */
PENSTOCK_RAPIDSNARK_API int groth16_verify(const char* proof, const char* inputs,
                                           const char* verification_key, char* error_msg,
                                           unsigned long error_msg_maxsize);

#ifdef __cplusplus
}
#endif
#endif
