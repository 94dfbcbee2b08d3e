// Does a device prove, and multiply, rightly? A small circuit on both curves, from its key to a proof that
// the host verifies; a few multiples of each generator against the host's. Run when a device is opened; needs
// no CUDA, so that the refusal of a wrong device is tested without one. Errors: device_unavailable naming
// what is wrong and on which curve; the device's own; file_unwritable (the circuit's key is made in a
// temporary folder). DeviceLost passes through. Cost: about 0.1 s of one host core for both curves' keys.
#pragma once

#include "common/groth16/point_multiplier.hpp"
#include "common/groth16/proving_device.hpp"

namespace penstock::cuda {

[[nodiscard]] Status check_proofs(groth16::ProvingDevice& device);
[[nodiscard]] Status check_multiples(groth16::PointMultiplier& multiplier);

}  // namespace penstock::cuda
