// When a proof does not verify: the partition is proved again on the host device, to tell a device that erred
// from a witness that does not satisfy its circuit.
// Ownership: HostOpinion borrows the host device; it keeps the last circuit it was asked about loaded there.
// Threads: any; opinions are formed one at a time (they are rare and take all cores).
#pragma once

#include <memory>
#include <mutex>

#include "common/groth16/proving_device.hpp"
#include "services/gpu/loaded_circuit.hpp"

namespace penstock::gpu {

class SecondOpinion {
 public:
  virtual ~SecondOpinion() = default;
  [[nodiscard]] virtual Result<groth16::ProvedPartition> prove_again(const LoadedCircuit& circuit,
                                                                     const groth16::PartitionView& view) = 0;
  /// Why the host's proof does not verify either: witness_unsatisfied, or key_mismatch for a key that can
  /// never prove here.
  [[nodiscard]] virtual Error explain(const LoadedCircuit& circuit, const groth16::PartitionView& view) = 0;
};

class HostOpinion final : public SecondOpinion {
 public:
  HostOpinion(groth16::ProvingDevice& host, groth16::BlindingSource& blinding)
      : host_(host), blinding_(blinding) {}
  [[nodiscard]] Result<groth16::ProvedPartition> prove_again(const LoadedCircuit& circuit,
                                                             const groth16::PartitionView& view) override;
  [[nodiscard]] Error explain(const LoadedCircuit& circuit, const groth16::PartitionView& view) override;

 private:
  groth16::ProvingDevice& host_;
  groth16::BlindingSource& blinding_;
  std::mutex mutex_;
  std::shared_ptr<const circuit::ProvingKey> key_;
  std::shared_ptr<const groth16::ResidentCircuit> circuit_;
};

}  // namespace penstock::gpu
