// The order of a proof on the device, in one place.
#pragma once

#include "cuda/groth16/lane_streams.hpp"
#include "cuda/groth16/lane_workspace.hpp"
#include "cuda/groth16/phase_events.hpp"

namespace penstock::cuda {

/// What the device found in a witness while it was staged.
struct Findings {
  std::uint32_t verdict = 0;  ///< witness::check_values' bits
  std::uint32_t wide = 0;     ///< scalars that are not small
};

/// From a witness (and, for an evaluated partition, a and b) in the workspace to the five sums in
/// sums_on_host. Enqueues: streams.main ends with them; waits where the number of digits must be known.
/// `findings` are on the host when streams.staged is reached. REQUIRES workspace.fit(circuit).
template <class C>
void enqueue_proof(const LaneStreams& streams, const DeviceCircuit<C>& circuit, LaneWorkspace<C>& workspace,
                   bool evaluated, const Findings& findings, PhaseEvents& events);

}  // namespace penstock::cuda
