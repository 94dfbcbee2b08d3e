// A key loaded on a device of this machine, ready to prove witness after witness: what `prove` and
// `fullprove` share.
// Ownership: owns device, lane, circuit and verifier. Threads: one.
// Errors: the readers' and the device's; nothing unverified is returned.
// Cost: open() maps the key, checks its points unless the memory of checked keys knows them, loads it once.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/circuit/proving_key.hpp"
#include "common/circuit/witness.hpp"
#include "common/groth16/proving_device.hpp"
#include "common/groth16/verify.hpp"
#include "services/cli/context.hpp"
#include "services/gpu/device_choice.hpp"

namespace penstock::cli {

/// Raw .wtns bytes of a secret witness and the checked view into them.
struct LoadedWitness {
  SensitiveVector<std::byte> bytes;
  circuit::WitnessView view;
};
[[nodiscard]] Result<LoadedWitness> read_witness(const std::filesystem::path& path);

class LocalProver {
 public:
  /// Warns once on stderr when the key is insecure.
  [[nodiscard]] static Result<std::unique_ptr<LocalProver>> open(const std::filesystem::path& key_path,
                                                                 const gpu::DeviceChoice& choice,
                                                                 Context& context);

  /// A verified proof.
  [[nodiscard]] Result<groth16::ProvedPartition> prove(const circuit::WitnessView& witness);

  [[nodiscard]] const groth16::DeviceInfo& device() const { return device_->info(); }
  [[nodiscard]] const circuit::KeyShape& shape() const { return key_->shape(); }
  [[nodiscard]] double load_seconds() const { return load_seconds_; }

 private:
  LocalProver() = default;
  std::shared_ptr<const circuit::ProvingKey> key_;
  std::unique_ptr<groth16::ProvingDevice> device_;
  std::shared_ptr<const groth16::ResidentCircuit> circuit_;
  std::unique_ptr<groth16::ProvingLane> lane_;
  std::unique_ptr<groth16::PreparedVerifier> verifier_;
  groth16::OsBlindingSource blinding_;
  double load_seconds_ = 0;
};

/// Proves `repeat` times, writes the last proof, reports times and phases.
struct ProveRequest {
  std::string proof_path, public_path;
  int repeat = 1;
  bool phases = false;  ///< print every phase for people
};
[[nodiscard]] Result<ExitStatus> prove_and_write(LocalProver& prover, const circuit::WitnessView& witness,
                                                 const ProveRequest& request, Context& context);

}  // namespace penstock::cli
