// Asks the driver about the device ten times a second and shows it as metrics: nvml_utilization_ratio,
// nvml_pcie_bytes_per_second, energy_joules_total, device_memory_bytes{kind="used"}.
// Ownership: owns its thread and the monitor; borrows the metrics. Threads: a thread of its own.
// Cost: NVML's calls, off the lanes; between samples it sleeps.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/telemetry/device_sample.hpp"
#include "common/telemetry/metrics.hpp"

namespace penstock::gpu {

/// One sample's share of the metrics; remembers the energy it has seen.
class DeviceGauges {
 public:
  DeviceGauges(telemetry::Metrics& metrics, std::string device)
      : metrics_(metrics), device_(std::move(device)) {}
  void show(const telemetry::DeviceSample& sample);

 private:
  telemetry::Metrics& metrics_;
  std::string device_;
  std::optional<double> energy_joules_;
};

class DeviceSampler {
 public:
  DeviceSampler(std::unique_ptr<telemetry::DeviceMonitor> monitor, telemetry::Metrics& metrics,
                const std::string& device);

 private:
  void run(std::stop_token stop);
  std::unique_ptr<telemetry::DeviceMonitor> monitor_;
  DeviceGauges gauges_;
  std::mutex mutex_;
  std::condition_variable_any pause_;
  std::jthread thread_;
};

}  // namespace penstock::gpu
