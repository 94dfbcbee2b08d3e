// NVML, opened at run time: its few declarations are ours, and a machine without it has no monitor. A device
// is found by its UUID: NVML's order is not CUDA's, and CUDA_VISIBLE_DEVICES hides nothing from it.
// Ownership: the library is closed with the object. Threads: one at a time.
// Errors: device_unavailable with NVML's number (no library, no such device). A quantity that the device does
// not tell is absent. Cost: PCIe counters take NVML 20 ms each; the rest microseconds.
#pragma once

#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "common/telemetry/device_sample.hpp"

namespace penstock::cuda {

class Nvml final : public telemetry::DeviceMonitor {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Nvml>> open(const std::string& uuid);
  ~Nvml() override;
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  [[nodiscard]] telemetry::DeviceSample sample() override;

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

}  // namespace penstock::cuda
