#include "cuda/groth16/device_monitor.hpp"

#include "cuda/device/nvml.hpp"

namespace penstock::cuda {

Result<std::unique_ptr<telemetry::DeviceMonitor>> make_device_monitor(const std::string& uuid) {
  return std::unique_ptr<telemetry::DeviceMonitor>(PENSTOCK_TRY(Nvml::open(uuid)));
}

}  // namespace penstock::cuda
