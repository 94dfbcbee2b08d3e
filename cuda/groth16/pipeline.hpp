// The order of a proof on the device, in one place.
#pragma once

#include "cuda/groth16/lane_workspace.hpp"
#include "cuda/groth16/phase_events.hpp"

namespace penstock::cuda {

/// From a witness (and, for an evaluated partition, a and b) in the workspace to the five sums in
/// sums_on_host. Enqueues on the stream; waits for it where the number of digits must be known. REQUIRES
/// workspace.fit(circuit).
template <class C>
void enqueue_proof(const Stream& stream, const DeviceCircuit<C>& circuit, LaneWorkspace<C>& workspace,
                   bool evaluated, PhaseEvents& events);

}  // namespace penstock::cuda
