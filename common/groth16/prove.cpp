#include "common/groth16/prove.hpp"

#include <string>

#include "common/groth16/explain_failure.hpp"

namespace penstock::groth16 {

Result<ProvedPartition> prove(ProvingLane& lane, const ResidentCircuit& circuit,
                              const PreparedVerifier& verifier, const circuit::WitnessView& witness,
                              BlindingSource& blinding) {
  const circuit::KeyShape& shape = circuit.shape();
  if (witness.curve != shape.curve)
    return Error{ErrorCode::curve_mismatch, "the witness is of curve " + std::string(name(witness.curve)) +
                                                ", the key of " + std::string(name(shape.curve))};
  if (witness.values.size() != shape.variables)
    return Error{ErrorCode::size_mismatch,
                 "the witness has " + std::to_string(witness.values.size()) + " wires, the key " +
                     std::to_string(shape.variables),
                 "is it a witness of this circuit?"};
  PENSTOCK_TRY(lane.stage(circuit, {PartitionKind::witness, Encoding::raw, witness.values.bytes()}));
  PENSTOCK_TRY(lane.prove_start(blinding.draw(shape.curve)));
  ProvedPartition proved = PENSTOCK_TRY(lane.prove_finish());
  const Status verified = [&] {
    const telemetry::PhaseScope scope(proved.phases, Phase::verify);
    return verifier.verify(proved.publics, proved.proof);
  }();
  if (verified.ok()) return proved;
  if (verified.error().code != ErrorCode::proof_invalid) return verified.error();
  return explain_failed_proof(circuit.key(), verifier, witness);
}

}  // namespace penstock::groth16
