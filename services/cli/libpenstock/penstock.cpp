#include "services/cli/libpenstock/penstock.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "services/cli/libpenstock/embedded_witness.hpp"
#include "services/cli/libpenstock/key_prover.hpp"

using penstock::Error;
using penstock::ErrorCode;
using penstock::Result;
using penstock::embedding::guarded;
using penstock::embedding::KeyProver;
using penstock::embedding::KeyProverOptions;

struct penstock_error {
  std::string code, message;
};
struct penstock_prover {
  std::unique_ptr<KeyProver> prover;
};

namespace {

penstock_status failed(const Error& error, penstock_error** out) {
  if (out != nullptr)
    *out = new (std::nothrow)
        penstock_error{std::string(penstock::name(error.code)), penstock::to_string(error)};
  return penstock::exit_status(error.code) == 3 ? PENSTOCK_FAILED : PENSTOCK_REFUSED;
}

KeyProverOptions options_of(const penstock_options* options) {
  KeyProverOptions result;
  result.cache_folder = penstock::embedding::default_cache_folder("keys");
  if (options == nullptr) return result;
  if (options->device != nullptr) result.device.name = options->device;
  result.device.threads = options->threads;
  if (options->cache_folder != nullptr) {
    result.cache_folder.reset();
    if (options->cache_folder[0] != '\0') result.cache_folder = options->cache_folder;
  }
  return result;
}

penstock::embedding::WitnessSettings options_of(const penstock_witness_options* options) {
  penstock::embedding::WitnessSettings result;
  if (options == nullptr) return result;
  if (options->runner != nullptr) result.runner = options->runner;
  if (options->cache_folder != nullptr) result.cache_folder = options->cache_folder;
  if (options->time_limit_seconds > 0) result.time_limit_seconds = options->time_limit_seconds;
  if (options->memory_limit_bytes > 0) result.memory_limit_bytes = options->memory_limit_bytes;
  return result;
}

Error missing(const char* argument) {
  return {ErrorCode::bad_request, std::string("the argument ") + argument + " is NULL"};
}

/// malloc'd for penstock_string_free; throws std::bad_alloc.
char* copy_out(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

template <class Source>
penstock_status open_prover(const Source& source, const penstock_options* options, penstock_prover** out,
                            penstock_error** error) {
  if (error != nullptr) *error = nullptr;
  if (out == nullptr) return failed(missing("prover"), error);
  *out = nullptr;
  Result<penstock_prover*> opened = guarded([&]() -> Result<penstock_prover*> {
    return new penstock_prover{PENSTOCK_TRY(KeyProver::open(source, options_of(options)))};
  });
  if (!opened.ok()) return failed(opened.error(), error);
  *out = *opened;
  return PENSTOCK_OK;
}

std::span<const std::byte> bytes_of(const void* data, std::size_t size) {
  return {static_cast<const std::byte*>(data), data == nullptr ? 0 : size};
}

}  // namespace

const char* penstock_error_code(const penstock_error* error) {
  return error == nullptr ? "internal" : error->code.c_str();
}
const char* penstock_error_message(const penstock_error* error) {
  return error == nullptr ? "not enough memory to say what went wrong" : error->message.c_str();
}
void penstock_error_free(penstock_error* error) {
  delete error;
}

const char* penstock_version(void) {
  return "0.1.0";
}
void penstock_string_free(char* text) {
  std::free(text);
}

penstock_status penstock_prover_open(const char* key_path, const penstock_options* options,
                                     penstock_prover** prover, penstock_error** error) {
  if (key_path == nullptr) return failed(missing("key_path"), error);
  return open_prover(std::filesystem::path(key_path), options, prover, error);
}
penstock_status penstock_prover_open_buffer(const void* key, size_t key_size, const penstock_options* options,
                                            penstock_prover** prover, penstock_error** error) {
  return open_prover(bytes_of(key, key_size), options, prover, error);
}
void penstock_prover_close(penstock_prover* prover) {
  delete prover;
}

penstock_key_info penstock_prover_key_info(const penstock_prover* prover) {
  const penstock::circuit::KeyShape& shape = prover->prover->key().shape();
  return {penstock::name(shape.curve).data(), shape.variables, shape.publics, shape.domain_size,
          prover->prover->key().insecure_dev() ? 1 : 0};
}

penstock_status penstock_prove(penstock_prover* prover, const void* wtns, size_t wtns_size, char** proof_json,
                               char** public_json, penstock_error** error) {
  if (error != nullptr) *error = nullptr;
  if (prover == nullptr) return failed(missing("prover"), error);
  if (proof_json == nullptr || public_json == nullptr)
    return failed(missing("proof_json or public_json"), error);
  *proof_json = *public_json = nullptr;
  const penstock::Status proved = guarded([&]() -> penstock::Status {
    const auto proof = PENSTOCK_TRY(prover->prover->prove(bytes_of(wtns, wtns_size)));
    *proof_json = copy_out(proof.proof);
    *public_json = copy_out(proof.publics);
    return {};
  });
  if (proved.ok()) return PENSTOCK_OK;
  penstock_string_free(*proof_json);
  *proof_json = nullptr;
  return failed(proved.error(), error);
}

penstock_status penstock_witness(const char* wasm_path, const char* input_json,
                                 const penstock_witness_options* options, void** wtns, size_t* wtns_size,
                                 penstock_error** error) {
  if (error != nullptr) *error = nullptr;
  if (wtns == nullptr || wtns_size == nullptr) return failed(missing("wtns or wtns_size"), error);
  *wtns = nullptr;
  *wtns_size = 0;
  if (wasm_path == nullptr || input_json == nullptr) return failed(missing("wasm_path or input_json"), error);
  const penstock::Status computed = guarded([&]() -> penstock::Status {
    const auto bytes =
        PENSTOCK_TRY(penstock::embedding::compute_wtns(wasm_path, input_json, options_of(options)));
    const auto secret = bytes.reveal();
    void* copy = std::malloc(secret.size());
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, secret.data(), secret.size());
    *wtns = copy;
    *wtns_size = secret.size();
    return {};
  });
  return computed.ok() ? PENSTOCK_OK : failed(computed.error(), error);
}
void penstock_witness_free(void* wtns, size_t wtns_size) {
  if (wtns != nullptr) penstock::wipe({static_cast<std::byte*>(wtns), wtns_size});
  std::free(wtns);
}

penstock_status penstock_verify(const char* verification_key_json, const char* public_json,
                                const char* proof_json, penstock_error** error) {
  if (error != nullptr) *error = nullptr;
  if (verification_key_json == nullptr || public_json == nullptr || proof_json == nullptr)
    return failed(missing("verification_key_json, public_json or proof_json"), error);
  const penstock::Status verified = guarded(
      [&] { return penstock::embedding::verify_json(verification_key_json, public_json, proof_json); });
  return verified.ok() ? PENSTOCK_OK : failed(verified.error(), error);
}
