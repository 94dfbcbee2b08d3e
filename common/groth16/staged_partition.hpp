// A partition's bytes, hostile and perhaps shared with the process that wrote them, made into checked values
// of our own. Shape: raw witness: variables * 32 B. Evaluated: a (domain_size), b (domain_size), then the
// witness, 32 B each.
//   Packed: circuit/packed_witness.hpp.
// Ownership: owns copies, wiped on destruction and reused when the sizes agree; nothing views the caller's
// bytes. Errors: size_mismatch, not_canonical (which value, never what it holds), curve_mismatch, bad_format.
// Cost: one copy and one comparison a value, on the whole team.
#pragma once

#include "common/base/sensitive.hpp"
#include "common/groth16/host_prover.hpp"
#include "common/groth16/proving_device.hpp"

namespace penstock::groth16 {

class StagedPartition {
 public:
  [[nodiscard]] Status load(ThreadTeam& team, const circuit::KeyShape& shape, const PartitionView& partition);
  [[nodiscard]] StagedWitness view() const;
  [[nodiscard]] circuit::PublicSignals publics(const circuit::KeyShape& shape) const;

 private:
  [[nodiscard]] Status load_raw(ThreadTeam& team, const circuit::KeyShape& shape,
                                std::span<const std::byte> bytes);
  [[nodiscard]] Status load_evaluated(ThreadTeam& team, const circuit::KeyShape& shape,
                                      std::span<const std::byte> bytes);
  [[nodiscard]] Status load_packed(ThreadTeam& team, const circuit::KeyShape& shape,
                                   std::span<const std::byte> bytes);
  [[nodiscard]] Status check_first_wire() const;

  SensitiveVector<circuit::Scalar> witness_, a_, b_;
};

}  // namespace penstock::groth16
