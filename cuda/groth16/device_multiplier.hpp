// PointMultiplier on one NVIDIA GPU: makes development keys. No CUDA header is needed to use it; a build
// without CUDA has it too and answers device_unavailable. Memory: about 1 GiB on the device.
#pragma once

#include <memory>

#include "common/base/result.hpp"
#include "common/groth16/point_multiplier.hpp"

namespace penstock::cuda {

[[nodiscard]] Result<std::unique_ptr<groth16::PointMultiplier>> make_device_multiplier(int ordinal);

}  // namespace penstock::cuda
