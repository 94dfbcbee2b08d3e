/* libpenstock from C: both interfaces, both curves, good and bad inputs. Argument: the folder of test
 * vectors, penstock-witness-runner, an empty folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "penstock.h"
#include "penstock_rapidsnark.h"

static int passed, failed;

static void check(int holds, const char* what, const char* where) {
  if (holds) {
    ++passed;
    return;
  }
  ++failed;
  fprintf(stderr, "FAILED: %s (%s)\n", what, where);
}

typedef struct {
  char* bytes;
  size_t size;
} File;

static File read_file(const char* folder, const char* curve, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s/%s", folder, curve, name);
  File file = {NULL, 0};
  FILE* stream = fopen(path, "rb");
  if (stream == NULL) {
    fprintf(stderr, "cannot open %s\n", path);
    exit(1);
  }
  fseek(stream, 0, SEEK_END);
  file.size = (size_t)ftell(stream);
  rewind(stream);
  file.bytes = malloc(file.size + 1);
  if (file.bytes == NULL || fread(file.bytes, 1, file.size, stream) != file.size) exit(1);
  file.bytes[file.size] = '\0';
  fclose(stream);
  return file;
}

/* `error` by address: C does not say which argument is evaluated first. */
static void expect_error(penstock_status status, penstock_error** error, const char* code,
                         const char* where) {
  check(status == PENSTOCK_REFUSED, "the call is refused", where);
  check(strcmp(penstock_error_code(*error), code) == 0, code, where);
  check(strlen(penstock_error_message(*error)) > 0, "the error has a message", where);
  penstock_error_free(*error);
  *error = NULL;
}

static void own_interface(const char* folder, const char* curve) {
  const penstock_options options = {"cpu", 2, ""};
  penstock_prover* prover = NULL;
  penstock_error* error = NULL;
  char path[4096];
  File key = read_file(folder, curve, "chain.zkey"), witness = read_file(folder, curve, "chain.wtns");
  File vk = read_file(folder, curve, "chain.vk.json"),
       unsatisfied = read_file(folder, curve, "f_wrongwire.wtns");
  File publics_of_snarkjs = read_file(folder, curve, "chain.public.json");
  snprintf(path, sizeof path, "%s/%s/chain.zkey", folder, curve);

  for (int from_buffer = 0; from_buffer < 2; ++from_buffer) {
    char *proof = NULL, *publics = NULL;
    penstock_status status = from_buffer
                                 ? penstock_prover_open_buffer(key.bytes, key.size, &options, &prover, &error)
                                 : penstock_prover_open(path, &options, &prover, &error);
    check(status == PENSTOCK_OK && prover != NULL && error == NULL, "a key opens", curve);
    if (prover == NULL) return;
    const penstock_key_info info = penstock_prover_key_info(prover);
    check(strcmp(info.curve, curve) == 0 && info.wires == 303 && info.public_signals == 2 &&
              info.domain_size == 512,
          "the key tells its shape", curve);
    for (int round = 0; round < 2; ++round) {
      check(penstock_prove(prover, witness.bytes, witness.size, &proof, &publics, &error) == PENSTOCK_OK,
            "a witness proves", curve);
      check(penstock_verify(vk.bytes, publics, proof, &error) == PENSTOCK_OK, "its proof verifies", curve);
      check(penstock_verify(vk.bytes, publics_of_snarkjs.bytes, proof, &error) == PENSTOCK_OK,
            "the publics are snarkjs's", curve);
      expect_error(penstock_verify(vk.bytes, "[\"1\",\"2\"]", proof, &error), &error, "proof_invalid", curve);
      penstock_string_free(proof);
      penstock_string_free(publics);
    }
    expect_error(penstock_prove(prover, unsatisfied.bytes, unsatisfied.size, &proof, &publics, &error),
                 &error, "witness_unsatisfied", curve);
    check(proof == NULL && publics == NULL, "nothing is handed out with an error", curve);
    expect_error(penstock_prove(prover, "abc", 3, &proof, &publics, &error), &error, "file_truncated", curve);
    expect_error(penstock_prove(prover, NULL, 0, &proof, &publics, &error), &error, "file_truncated", curve);
    penstock_prover_close(prover);
  }
  expect_error(penstock_prover_open("no such file", &options, &prover, &error), &error, "file_unreadable",
               curve);
  check(prover == NULL, "no prover with an error", curve);
  expect_error(penstock_prover_open_buffer(key.bytes, key.size / 2, &options, &prover, &error), &error,
               "file_truncated", curve);
  expect_error(penstock_prover_open(NULL, &options, &prover, &error), &error, "bad_request", curve);
  expect_error(penstock_verify("{", "[]", "{}", &error), &error, "bad_format", curve);
  check(penstock_prover_open("no such file", NULL, &prover, NULL) == PENSTOCK_REFUSED,
        "errors may be ignored", curve);
  free(key.bytes), free(witness.bytes), free(vk.bytes), free(unsatisfied.bytes),
      free(publics_of_snarkjs.bytes);
}

/* From input.json to a verified proof. `runner` is the program of this build, `cache` a folder of the test's.
 */
static void witness_interface(const char* folder, const char* curve, const char* runner, const char* cache) {
  const penstock_witness_options options = {runner, cache, 20, 0};
  const penstock_options prover_options = {"cpu", 2, ""};
  penstock_error* error = NULL;
  penstock_prover* prover = NULL;
  char wasm[4096], zkey[4096], *proof = NULL, *publics = NULL;
  void* wtns = NULL;
  size_t size = 0;
  File input = read_file(folder, curve, "chain.in.json"), expected = read_file(folder, curve, "chain.wtns");
  snprintf(wasm, sizeof wasm, "%s/%s/chain.wasm", folder, curve);
  snprintf(zkey, sizeof zkey, "%s/%s/chain.zkey", folder, curve);

  check(penstock_witness(wasm, input.bytes, &options, &wtns, &size, &error) == PENSTOCK_OK,
        "a witness is computed", curve);
  check(size == expected.size && memcmp(wtns, expected.bytes, size) == 0, "it is snarkjs's", curve);
  check(penstock_prover_open(zkey, &prover_options, &prover, &error) == PENSTOCK_OK &&
            penstock_prove(prover, wtns, size, &proof, &publics, &error) == PENSTOCK_OK,
        "it proves", curve);
  penstock_string_free(proof);
  penstock_string_free(publics);
  penstock_prover_close(prover);
  penstock_witness_free(wtns, size);

  expect_error(penstock_witness(wasm, "{}", &options, &wtns, &size, &error), &error, "signal_missing", curve);
  check(wtns == NULL && size == 0, "no witness with an error", curve);
  expect_error(penstock_witness(wasm, "{", &options, &wtns, &size, &error), &error, "bad_format", curve);
  expect_error(penstock_witness("no such file", "{}", &options, &wtns, &size, &error), &error,
               "file_unreadable", curve);
  expect_error(penstock_witness(zkey, "{}", &options, &wtns, &size, &error), &error, "bad_magic", curve);
  expect_error(penstock_witness(NULL, "{}", &options, &wtns, &size, &error), &error, "bad_request", curve);
  const penstock_witness_options no_runner = {"/nowhere", cache, 0, 0};
  expect_error(penstock_witness(wasm, "{}", &no_runner, &wtns, &size, &error), &error, "not_found", curve);
  penstock_witness_free(NULL, 0);
  free(input.bytes), free(expected.bytes);
}

static void rapidsnark_interface(const char* folder, const char* curve) {
  char path[4096], message[256];
  char proof[4096], publics[4096];
  unsigned long long proof_size = 0, public_size = 0, most = 0;
  File key = read_file(folder, curve, "chain.zkey"), witness = read_file(folder, curve, "chain.wtns");
  File other = read_file(folder, curve, "mul.wtns"), vk = read_file(folder, curve, "chain.vk.json");
  snprintf(path, sizeof path, "%s/%s/chain.zkey", folder, curve);

  check(groth16_public_size_for_zkey_buf(key.bytes, key.size, &public_size, message, sizeof message) ==
                PROVER_OK &&
            public_size >= 2 * 77 + 7,
        "the size of the publics, from memory", curve);
  check(groth16_public_size_for_zkey_file(path, &most, message, sizeof message) == PROVER_OK &&
            most == public_size,
        "the size of the publics, from the file", curve);
  check(groth16_public_size_for_zkey_file("no such file", &most, message, sizeof message) == PROVER_ERROR &&
            strstr(message, "file_unreadable") != NULL,
        "a missing file is named", curve);
  groth16_proof_size(&most);
  check(most <= sizeof proof, "a proof's size is moderate", curve);

  proof_size = 10, public_size = 10;
  check(groth16_prover(key.bytes, key.size, witness.bytes, witness.size, proof, &proof_size, publics,
                       &public_size, message, sizeof message) == PROVER_ERROR_SHORT_BUFFER,
        "short buffers are told", curve);
  check(proof_size > 10 && proof_size <= most && public_size > 10, "with the sizes that are needed", curve);
  check(groth16_prover(key.bytes, key.size, witness.bytes, witness.size, proof, &proof_size, publics,
                       &public_size, message, sizeof message) == PROVER_OK,
        "exactly those sizes are enough", curve);
  check(strlen(proof) == proof_size && strlen(publics) == public_size, "the lengths are handed back", curve);
  check(groth16_verify(proof, publics, vk.bytes, message, sizeof message) == VERIFIER_VALID_PROOF, "valid",
        curve);
  check(groth16_verify(proof, "[\"1\",\"2\"]", vk.bytes, message, sizeof message) == VERIFIER_INVALID_PROOF,
        "invalid", curve);
  check(groth16_verify(proof, "[\"1\"]", vk.bytes, message, sizeof message) == VERIFIER_ERROR, "an error",
        curve);
  check(groth16_verify("", "", "", NULL, 0) == VERIFIER_ERROR, "no message wanted", curve);

  proof_size = sizeof proof, public_size = sizeof publics;
  check(groth16_prover_zkey_file(path, witness.bytes, witness.size, proof, &proof_size, publics, &public_size,
                                 message, sizeof message) == PROVER_OK,
        "a key in a file proves", curve);
  void* prover = NULL;
  check(groth16_prover_create(&prover, key.bytes, key.size, message, sizeof message) == PROVER_OK, "create",
        curve);
  memset(key.bytes, 0, key.size); /* the library has its own copy */
  for (int round = 0; round < 2; ++round) {
    proof_size = sizeof proof, public_size = sizeof publics;
    check(groth16_prover_prove(prover, witness.bytes, witness.size, proof, &proof_size, publics, &public_size,
                               message, sizeof message) == PROVER_OK,
          "a kept prover proves", curve);
  }
  proof_size = sizeof proof, public_size = sizeof publics;
  check(groth16_prover_prove(prover, other.bytes, other.size, proof, &proof_size, publics, &public_size,
                             message, 20) == PROVER_INVALID_WITNESS_LENGTH,
        "a witness of another circuit", curve);
  check(strlen(message) == 19, "a message is cut, not overrun", curve);
  groth16_prover_destroy(prover);
  check(groth16_prover_create_zkey_file(&prover, path, message, sizeof message) == PROVER_OK,
        "create from file", curve);
  groth16_prover_destroy(prover);
  free(key.bytes), free(witness.bytes), free(other.bytes), free(vk.bytes);
}

int main(int argc, char** argv) {
  const char* const curves[] = {"bn254", "bls12_381"};
  if (argc != 4) return 2;
  for (int i = 0; i < 2; ++i) {
    own_interface(argv[1], curves[i]);
    witness_interface(argv[1], curves[i], argv[2], argv[3]);
    rapidsnark_interface(argv[1], curves[i]);
  }
  check(strlen(penstock_version()) > 0, "a version", "");
  printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
