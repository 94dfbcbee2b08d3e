// A build without the CUDA toolkit: the list of devices is empty, with the reason.
#include "cuda/groth16/cuda_device.hpp"
#include "cuda/groth16/device_monitor.hpp"
#include "cuda/groth16/device_multiplier.hpp"

namespace penstock::cuda {
namespace {

Error without_cuda() {
  return {ErrorCode::device_unavailable, "this build has no CUDA device",
          "use --device cpu, or build with -DPENSTOCK_CUDA=ON and a CUDA toolkit"};
}

}  // namespace

Result<std::vector<DeviceSummary>> visible_devices() {
  return without_cuda();
}
Result<std::unique_ptr<groth16::ProvingDevice>> make_cuda_device(const CudaDeviceOptions&) {
  return without_cuda();
}
Result<std::unique_ptr<groth16::PointMultiplier>> make_device_multiplier(int) {
  return without_cuda();
}

Result<std::unique_ptr<telemetry::DeviceMonitor>> make_device_monitor(const std::string&) {
  return without_cuda();
}

}  // namespace penstock::cuda
