#include "services/cli/libpenstock/key_prover.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "common/circuit/proof_json.hpp"
#include "common/groth16/prove.hpp"

namespace penstock::embedding {
namespace {

/// A nameless file in memory, open as long as the object: the readers map files.
class MemoryFile {
 public:
  [[nodiscard]] static Result<MemoryFile> holding(std::span<const std::byte> bytes) {
    MemoryFile file;
    file.descriptor_ = ::memfd_create("penstock-key", MFD_CLOEXEC);
    if (file.descriptor_ < 0) return failure();
    while (!bytes.empty()) {
      const ssize_t written = ::write(file.descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return failure();
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return file;
  }
  MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  MemoryFile() = default;
  static Error failure() {
    return {ErrorCode::out_of_memory, "cannot copy the key: " + std::generic_category().message(errno)};
  }
  int descriptor_ = -1;
};

std::string without_spaces(std::string json) {  // proofs and publics hold no space inside a string
  json.erase(std::remove_if(json.begin(), json.end(), [](char c) { return c == ' ' || c == '\n'; }),
             json.end());
  return json;
}

}  // namespace

std::optional<std::filesystem::path> default_cache_folder(std::string_view kind) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::filesystem::path(cache) / "penstock" / kind;
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::filesystem::path(home) / ".cache/penstock" / kind;
  return std::nullopt;
}

Result<std::unique_ptr<KeyProver>> KeyProver::open(const std::filesystem::path& key_path,
                                                   const KeyProverOptions& options) {
  std::unique_ptr<KeyProver> prover(new KeyProver);
  prover->device_ = PENSTOCK_TRY(gpu::open_device(options.device));
  prover->key_ = PENSTOCK_TRY(circuit::ProvingKey::open(key_path));
  std::optional<circuit::KeyCheckCache> cache;
  if (options.cache_folder) cache.emplace(*options.cache_folder);
  PENSTOCK_TRY(circuit::check_points(*prover->key_, cache ? &*cache : nullptr, options.device.threads));
  prover->circuit_ = PENSTOCK_TRY(prover->device_->load_circuit(prover->key_));
  prover->lane_ = PENSTOCK_TRY(prover->device_->open_lane());
  prover->verifier_ = PENSTOCK_TRY(groth16::prepare_verifier(prover->key_->verification_key()));
  return prover;
}

Result<std::unique_ptr<KeyProver>> KeyProver::open(std::span<const std::byte> key,
                                                   const KeyProverOptions& options) {
  const MemoryFile file = PENSTOCK_TRY(MemoryFile::holding(key));  // the mapping outlives the descriptor
  auto prover = open(file.path(), options);
  if (prover.ok()) return prover;
  Error error = std::move(prover).error();
  error.file = "the key in memory";
  return error;
}

Result<JsonProof> KeyProver::prove(std::span<const std::byte> wtns) {
  const circuit::WitnessView witness = PENSTOCK_TRY(circuit::parse_wtns(wtns));
  const std::lock_guard lock(one_proof_);
  const groth16::ProvedPartition proved =
      PENSTOCK_TRY(groth16::prove(*lane_, *circuit_, *verifier_, witness, blinding_));
  return JsonProof{without_spaces(circuit::to_json(proved.proof)),
                   without_spaces(circuit::to_json(proved.publics))};
}

Status verify_json(std::string_view verification_key, std::string_view publics, std::string_view proof) {
  const circuit::AnyVerificationKey key = PENSTOCK_TRY(circuit::verification_key_from_json(verification_key));
  const CurveId curve = circuit::curve_of(key);
  const circuit::PublicSignals signals = PENSTOCK_TRY(circuit::publics_from_json(publics, curve));
  return groth16::verify(key, signals, PENSTOCK_TRY(circuit::proof_from_json(proof, curve)));
}

}  // namespace penstock::embedding
