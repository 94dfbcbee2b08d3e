/* libpenstock: Groth16 proofs from snarkjs keys, for programs in any language that speaks C.
 *
 * Ownership: what a function gives out through a `**` argument is the caller's, to be freed with the matching
 * _free or _close. Inputs are only read, and need to live only as long as the call. Threads: functions may be
 * called from any thread. One prover proves one witness at a time; others wait. Errors: every function
 * returns a penstock_status. When it is not PENSTOCK_OK and `error` is not NULL, *error holds the named code
 * and a sentence. A witness, r or s never appears in either. Proofs: every proof was verified before it is
 * handed out. */
#ifndef PENSTOCK_H
#define PENSTOCK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PENSTOCK_API __attribute__((visibility("default")))

typedef enum penstock_status {
  PENSTOCK_OK = 0,
  PENSTOCK_REFUSED = 1, /* an input is wrong, or a proof is invalid: the error's code says which */
  PENSTOCK_FAILED = 3   /* memory, device or a defect: trying again may help */
} penstock_status;

typedef struct penstock_error penstock_error;
typedef struct penstock_prover penstock_prover;

/* "not_canonical", "witness_unsatisfied", ...: the codes of the command line. Never NULL for an error. */
PENSTOCK_API const char* penstock_error_code(const penstock_error* error);
PENSTOCK_API const char* penstock_error_message(const penstock_error* error);
PENSTOCK_API void penstock_error_free(penstock_error* error);

PENSTOCK_API const char* penstock_version(void);
PENSTOCK_API void penstock_string_free(char* text);

/* Set to zero (`= {0}`) for the defaults. */
typedef struct penstock_options {
  const char* device; /* "cpu" (the default), "auto", "cuda:N" */
  int threads;        /* of the host device; 0: what the cgroup's quota and the affinity mask allow */
  const char*
      cache_folder; /* remembers which keys were checked; NULL: the user's cache folder; "": nowhere */
} penstock_options;

/* Maps and checks a .zkey. `options` may be NULL. A key is checked point by point the first time it is seen.
 */
PENSTOCK_API penstock_status penstock_prover_open(const char* key_path, const penstock_options* options,
                                                  penstock_prover** prover, penstock_error** error);
/* The same from memory; the bytes are copied. */
PENSTOCK_API penstock_status penstock_prover_open_buffer(const void* key, size_t key_size,
                                                         const penstock_options* options,
                                                         penstock_prover** prover, penstock_error** error);
PENSTOCK_API void penstock_prover_close(penstock_prover* prover);

typedef struct penstock_key_info {
  const char* curve; /* "bn254" or "bls12_381" */
  uint32_t wires, public_signals, domain_size;
  int is_insecure; /* a development key: whoever made it can forge proofs */
} penstock_key_info;
PENSTOCK_API penstock_key_info penstock_prover_key_info(const penstock_prover* prover);

/* Proves a witness (the bytes of a .wtns file). *proof_json and *public_json are snarkjs's JSON. */
PENSTOCK_API penstock_status penstock_prove(penstock_prover* prover, const void* wtns, size_t wtns_size,
                                            char** proof_json, char** public_json, penstock_error** error);

/* Set to zero (`= {0}`) for the defaults. */
typedef struct penstock_witness_options {
  const char* runner;          /* the program penstock-witness-runner; NULL: beside this library, in
                                  ../libexec/penstock          from there, or the same beside the running program */
  const char* cache_folder;    /* compiled programs; NULL: the user's cache folder. Ours alone (0700) */
  double time_limit_seconds;   /* of the witness program; 0: 60 */
  uint64_t memory_limit_bytes; /* of the witness program; 0: 4 GiB */
} penstock_witness_options;

/* Computes the witness of `input_json` (a text) with a circom program. The program runs in a child process of
 * its own, sandboxed and limited; the first call of a program that takes long interprets it and starts a
 * compile that later calls use. *wtns holds the bytes of a .wtns file. `options` may be NULL. */
PENSTOCK_API penstock_status penstock_witness(const char* wasm_path, const char* input_json,
                                              const penstock_witness_options* options, void** wtns,
                                              size_t* wtns_size, penstock_error** error);
/* Wipes, then frees. */
PENSTOCK_API void penstock_witness_free(void* wtns, size_t wtns_size);

/* PENSTOCK_OK: the proof is valid. Its curve comes from the verification key. All three are JSON texts. */
PENSTOCK_API penstock_status penstock_verify(const char* verification_key_json, const char* public_json,
                                             const char* proof_json, penstock_error** error);

#ifdef __cplusplus
}
#endif
#endif
