// What a driver says about its device, beside what we measure: plotted next to busy, never in its place.
// Threads: one at a time. Cost: the implementation's.
#pragma once

#include <cstdint>
#include <optional>

namespace penstock::telemetry {

/// What the device does not tell is absent.
struct DeviceSample {
  std::optional<double> utilization;               ///< 0 to 1: a kernel was resident
  std::optional<std::uint64_t> memory_used_bytes;  ///< by everybody on the device
  std::optional<std::uint64_t> pcie_to_device_per_second, pcie_from_device_per_second;  ///< bytes
  std::optional<double> power_watts, energy_joules;  ///< energy: since the driver was loaded
  std::optional<std::uint32_t> sm_clock_mhz;
};

class DeviceMonitor {
 public:
  virtual ~DeviceMonitor() = default;
  [[nodiscard]] virtual DeviceSample sample() = 0;
};

}  // namespace penstock::telemetry
