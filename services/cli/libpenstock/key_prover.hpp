// What both C interfaces stand on: a key loaded on a device, from bytes of a .wtns to verified JSON.
// Ownership: owns device, key, circuit, lane, verifier. Threads: prove() from any, one at a time.
// Errors: the readers', the device's and the prover's. Cost: open() checks the key's points unless they are
// remembered.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "common/circuit/proving_key.hpp"
#include "common/groth16/proving_device.hpp"
#include "common/groth16/verify.hpp"
#include "services/gpu/device_choice.hpp"

namespace penstock::embedding {

struct KeyProverOptions {
  gpu::DeviceChoice device = {.name = "cpu"};
  std::optional<std::filesystem::path> cache_folder;  ///< absent: nothing is remembered
};
/// `kind` ("keys", "programs") below the user's cache folder, by the XDG rule; absent when there is no home.
[[nodiscard]] std::optional<std::filesystem::path> default_cache_folder(std::string_view kind);

struct JsonProof {
  std::string proof, publics;  ///< without white space
};

class KeyProver {
 public:
  [[nodiscard]] static Result<std::unique_ptr<KeyProver>> open(const std::filesystem::path& key_path,
                                                               const KeyProverOptions& options);
  /// Copies the key into memory of our own: the caller may change or free it.
  [[nodiscard]] static Result<std::unique_ptr<KeyProver>> open(std::span<const std::byte> key,
                                                               const KeyProverOptions& options);
  [[nodiscard]] Result<JsonProof> prove(std::span<const std::byte> wtns);
  [[nodiscard]] const circuit::ProvingKey& key() const { return *key_; }

 private:
  KeyProver() = default;
  std::mutex one_proof_;
  std::shared_ptr<const circuit::ProvingKey> key_;
  std::unique_ptr<groth16::ProvingDevice> device_;
  std::shared_ptr<const groth16::ResidentCircuit> circuit_;
  std::unique_ptr<groth16::ProvingLane> lane_;
  std::unique_ptr<groth16::PreparedVerifier> verifier_;
  groth16::OsBlindingSource blinding_;
};

/// Verifies JSON texts; the curve comes from the verification key.
[[nodiscard]] Status verify_json(std::string_view verification_key, std::string_view publics,
                                 std::string_view proof);

/// Calls work(); what it throws becomes an Error: no exception crosses the C boundary.
template <class Work>
[[nodiscard]] auto guarded(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::out_of_memory, "not enough memory"};
  } catch (const groth16::DeviceLost& lost) {
    return Error{ErrorCode::device_unavailable, lost.what()};
  } catch (const std::exception& defect) {
    return Error{ErrorCode::internal, defect.what()};
  } catch (...) {
    return Error{ErrorCode::internal, "an unknown exception"};
  }
}

}  // namespace penstock::embedding
