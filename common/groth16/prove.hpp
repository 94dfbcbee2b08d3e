// One witness to one verified proof on any device: what `penstock prove` and libpenstock call.
// Errors: witness_unsatisfied when the proof does not verify on a device whose self-check passes (on the host
// device:
//   always that); otherwise those of the device.
#pragma once

#include "common/base/result.hpp"
#include "common/circuit/witness.hpp"
#include "common/groth16/proving_device.hpp"
#include "common/groth16/verify.hpp"

namespace penstock::groth16 {

/// Proves and verifies; the phases include `verify`. No unverified proof is returned.
/// size_mismatch when the witness has another number of wires than the key, curve_mismatch.
[[nodiscard]] Result<ProvedPartition> prove(ProvingLane& lane, const ResidentCircuit& circuit,
                                            const PreparedVerifier& verifier,
                                            const circuit::WitnessView& witness, BlindingSource& blinding);

}  // namespace penstock::groth16
