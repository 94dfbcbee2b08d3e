#include "services/gpu/second_opinion.hpp"

#include <cstring>
#include <utility>

#include "common/circuit/packed_witness.hpp"
#include "common/groth16/explain_failure.hpp"

namespace penstock::gpu {
namespace {

Error unsatisfied() {
  return {.code = ErrorCode::witness_unsatisfied,
          .what = "the witness does not satisfy the circuit",
          .hint = "register the circuit with its r1cs and sym: then the broken constraint is named"};
}

}  // namespace

Result<groth16::ProvedPartition> HostOpinion::prove_again(const LoadedCircuit& circuit,
                                                          const groth16::PartitionView& view) {
  const std::lock_guard lock(mutex_);
  if (key_ != circuit.key || circuit_ == nullptr) {
    circuit_.reset();
    circuit_ = PENSTOCK_TRY(host_.load_circuit(circuit.key));
    key_ = circuit.key;
  }
  const auto lane = PENSTOCK_TRY(host_.open_lane());
  PENSTOCK_TRY(lane->stage(*circuit_, view));
  const groth16::Blinding blinding = blinding_.draw(circuit.ref.curve);
  PENSTOCK_TRY(lane->prove_start(blinding));
  return lane->prove_finish();
}

Error HostOpinion::explain(const LoadedCircuit& circuit, const groth16::PartitionView& view) {
  // The other root family exists on BLS12-381 only, and only a witness can be proved again with it.
  if (circuit.ref.curve != CurveId::bls12_381 || view.kind != groth16::PartitionKind::witness)
    return unsatisfied();
  const std::lock_guard lock(mutex_);
  SensitiveVector<circuit::Scalar> values(circuit.ref.variables);
  if (view.encoding == groth16::Encoding::packed) {
    if (!circuit::unpack_witness(view.bytes, values.reveal())) return unsatisfied();
  } else {
    if (view.bytes.size() != values.size() * sizeof(circuit::Scalar)) return unsatisfied();
    std::memcpy(values.reveal().data(), view.bytes.data(), view.bytes.size());
  }
  Error error = groth16::explain_failed_proof(circuit.key, *circuit.verifier,
                                              {circuit.ref.curve, std::as_const(values).reveal()});
  return error.code == ErrorCode::witness_unsatisfied ? unsatisfied() : error;
}

}  // namespace penstock::gpu
