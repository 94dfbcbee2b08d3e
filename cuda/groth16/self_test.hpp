// Does this device compute rightly? Transforms and sums of a few hundred elements on both curves and both
// groups, compared with the host's; proof_check.hpp then proves. Run once when the device is opened; waits
// for it. Errors: device_unavailable naming the step that differs; CudaError is thrown (an architecture not
// compiled shows here). Cost: about 10 ms of host, less of device.
#pragma once

#include "common/base/result.hpp"
#include "cuda/device/device_memory.hpp"

namespace penstock::cuda {

[[nodiscard]] Status self_test(DeviceHeap& heap);

}  // namespace penstock::cuda
