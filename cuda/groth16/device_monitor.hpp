// The driver's view of a device; no CUDA header is needed to use it, and builds without CUDA have none.
// Errors: device_unavailable (no NVML, no such device).
#pragma once

#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "common/telemetry/device_sample.hpp"

namespace penstock::cuda {

/// By UUID, as DeviceSummary has it: NVML's order is not CUDA's.
[[nodiscard]] Result<std::unique_ptr<telemetry::DeviceMonitor>> make_device_monitor(const std::string& uuid);

}  // namespace penstock::cuda
