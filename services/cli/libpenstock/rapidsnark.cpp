#include <algorithm>
#include <cstring>
#include <vector>

#include "common/circuit/binary_container.hpp"
#include "services/cli/libpenstock/key_prover.hpp"
#include "services/cli/libpenstock/penstock_rapidsnark.h"

namespace {

using penstock::CurveId;
using penstock::Error;
using penstock::ErrorCode;
using penstock::Result;
using penstock::Status;
using penstock::embedding::guarded;
using penstock::embedding::KeyProver;

/// Where texts go and how large they may be; rapidsnark's four output arguments.
struct Output {
  char* proof;
  unsigned long long* proof_size;
  char* publics;
  unsigned long long* public_size;
};

void tell(const Error& error, char* message, unsigned long long size) {
  if (message == nullptr || size == 0) return;
  const std::string text = penstock::to_string(error);
  const std::size_t length = std::min<std::size_t>(text.size(), size - 1);
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

int failed(const Error& error, char* message, unsigned long long size) {
  tell(error, message, size);
  return PROVER_ERROR;
}

std::span<const std::byte> bytes_of(const void* data, unsigned long long size) {
  return {static_cast<const std::byte*>(data), data == nullptr ? 0 : static_cast<std::size_t>(size)};
}

// Eight coordinates in quotes (77 digits on BN254, 115 on BLS12-381), the names around them, and the final
// zero.
constexpr unsigned long long proof_frame = 190;
unsigned long long proof_bytes(CurveId curve) {
  return 8 * (curve == CurveId::bn254 ? 80 : 118) + proof_frame;
}
// 78 digits at most, quotes and a comma; brackets and the final zero.
unsigned long long public_bytes(std::uint64_t publics) {
  return publics * 81 + 3;
}

/// The number of public signals, from section 2 alone: the key is not read.
Result<std::uint32_t> publics_of(std::span<const std::byte> key) {
  constexpr std::uint32_t header_section = 2;
  const auto container =
      PENSTOCK_TRY(penstock::circuit::BinaryContainer::parse(key, penstock::circuit::zkey_kind));
  auto cursor = PENSTOCK_TRY(container.require(header_section)).cursor();
  for (int prime = 0; prime < 2; ++prime) {
    const std::uint32_t size = PENSTOCK_TRY(cursor.u32());
    PENSTOCK_TRY(cursor.take(size));
  }
  PENSTOCK_TRY(cursor.u32());  // wires
  return PENSTOCK_TRY(cursor.u32());
}

int public_size(std::span<const std::byte> key, unsigned long long* size, char* message,
                unsigned long long capacity) {
  const Result<std::uint32_t> publics = guarded([&] { return publics_of(key); });
  if (!publics.ok()) return failed(publics.error(), message, capacity);
  *size = public_bytes(*publics);
  return PROVER_OK;
}

template <class Source>
int create(void** out, const Source& source, char* message, unsigned long long capacity) {
  auto prover = guarded([&]() -> Result<std::unique_ptr<KeyProver>> {
    return KeyProver::open(source, {.cache_folder = penstock::embedding::default_cache_folder("keys")});
  });
  if (!prover.ok()) return failed(prover.error(), message, capacity);
  *out = std::move(prover).value().release();
  return PROVER_OK;
}

int prove(KeyProver& prover, std::span<const std::byte> wtns, const Output& output, char* message,
          unsigned long long capacity) {
  const auto& shape = prover.key().shape();
  const unsigned long long proof_needed = proof_bytes(shape.curve),
                           public_needed = public_bytes(shape.publics);
  if (*output.proof_size < proof_needed || *output.public_size < public_needed) {
    *output.proof_size = proof_needed;
    *output.public_size = public_needed;
    tell({ErrorCode::size_mismatch, "a buffer is too short"}, message, capacity);
    return PROVER_ERROR_SHORT_BUFFER;
  }
  const auto proof = guarded([&] { return prover.prove(wtns); });
  if (!proof.ok()) {
    tell(proof.error(), message, capacity);
    return proof.error().code == ErrorCode::size_mismatch ? PROVER_INVALID_WITNESS_LENGTH : PROVER_ERROR;
  }
  const auto copy = [](const std::string& text, char* to, unsigned long long* size) {
    std::memcpy(to, text.c_str(), text.size() + 1);
    *size = text.size();
  };
  copy(proof->proof, output.proof, output.proof_size);
  copy(proof->publics, output.publics, output.public_size);
  return PROVER_OK;
}

template <class Source>
int prove_once(const Source& source, std::span<const std::byte> wtns, const Output& output, char* message,
               unsigned long long capacity) {
  void* prover = nullptr;
  if (const int status = create(&prover, source, message, capacity); status != PROVER_OK) return status;
  const std::unique_ptr<KeyProver> owner(static_cast<KeyProver*>(prover));
  return prove(*owner, wtns, output, message, capacity);
}

}  // namespace

int groth16_public_size_for_zkey_buf(const void* zkey_buffer, unsigned long long zkey_size,
                                     unsigned long long* public_size_out, char* error_msg,
                                     unsigned long long error_msg_maxsize) {
  return public_size(bytes_of(zkey_buffer, zkey_size), public_size_out, error_msg, error_msg_maxsize);
}

int groth16_public_size_for_zkey_file(const char* zkey_fname, unsigned long long* public_size_out,
                                      char* error_msg, unsigned long long error_msg_maxsize) {
  const auto file = guarded([&] { return penstock::circuit::MappedFile::open(zkey_fname); });
  if (!file.ok()) return failed(file.error(), error_msg, error_msg_maxsize);
  return public_size(file->bytes(), public_size_out, error_msg, error_msg_maxsize);
}

void groth16_proof_size(unsigned long long* proof_size) {
  *proof_size = proof_bytes(CurveId::bls12_381);
}

int groth16_prover_create(void** prover_object, const void* zkey_buffer, unsigned long long zkey_size,
                          char* error_msg, unsigned long long error_msg_maxsize) {
  return create(prover_object, bytes_of(zkey_buffer, zkey_size), error_msg, error_msg_maxsize);
}

int groth16_prover_create_zkey_file(void** prover_object, const char* zkey_file_path, char* error_msg,
                                    unsigned long long error_msg_maxsize) {
  return create(prover_object, std::filesystem::path(zkey_file_path), error_msg, error_msg_maxsize);
}

int groth16_prover_prove(void* prover_object, const void* wtns_buffer, unsigned long long wtns_size,
                         char* proof_buffer, unsigned long long* proof_size, char* public_buffer,
                         unsigned long long* public_size_io, char* error_msg,
                         unsigned long long error_msg_maxsize) {
  return prove(*static_cast<KeyProver*>(prover_object), bytes_of(wtns_buffer, wtns_size),
               {proof_buffer, proof_size, public_buffer, public_size_io}, error_msg, error_msg_maxsize);
}

void groth16_prover_destroy(void* prover_object) {
  delete static_cast<KeyProver*>(prover_object);
}

int groth16_prover(const void* zkey_buffer, unsigned long long zkey_size, const void* wtns_buffer,
                   unsigned long long wtns_size, char* proof_buffer, unsigned long long* proof_size,
                   char* public_buffer, unsigned long long* public_size_io, char* error_msg,
                   unsigned long long error_msg_maxsize) {
  return prove_once(bytes_of(zkey_buffer, zkey_size), bytes_of(wtns_buffer, wtns_size),
                    {proof_buffer, proof_size, public_buffer, public_size_io}, error_msg, error_msg_maxsize);
}

int groth16_prover_zkey_file(const char* zkey_file_path, const void* wtns_buffer,
                             unsigned long long wtns_size, char* proof_buffer, unsigned long long* proof_size,
                             char* public_buffer, unsigned long long* public_size_io, char* error_msg,
                             unsigned long long error_msg_maxsize) {
  return prove_once(std::filesystem::path(zkey_file_path), bytes_of(wtns_buffer, wtns_size),
                    {proof_buffer, proof_size, public_buffer, public_size_io}, error_msg, error_msg_maxsize);
}

int groth16_verify(const char* proof, const char* inputs, const char* verification_key, char* error_msg,
                   unsigned long error_msg_maxsize) {
  const Status verified =
      guarded([&] { return penstock::embedding::verify_json(verification_key, inputs, proof); });
  if (verified.ok()) return VERIFIER_VALID_PROOF;
  tell(verified.error(), error_msg, error_msg_maxsize);
  return verified.error().code == ErrorCode::proof_invalid ? VERIFIER_INVALID_PROOF : VERIFIER_ERROR;
}
