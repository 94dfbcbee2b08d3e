// The driver's word about the device during a run, ten times a second, as the gpu service samples it: to be
// read beside the ledger's account. Ownership: owns the monitor and its thread. Threads: one caller.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/base/clock.hpp"
#include "common/telemetry/device_sample.hpp"

namespace penstock::cli::bench {

/// Of what the driver told; absent where it told nothing.
struct WatchSummary {
  struct Range {
    double mean = 0, least = 0, most = 0;
  };
  std::size_t samples = 0;
  std::optional<Range> utilization, to_device_gbps, from_device_gbps, power_watts, sm_clock_mhz;
  Seconds longest_sample{0}, mean_sample{0};  ///< what asking took
};

class DeviceWatch {
 public:
  explicit DeviceWatch(std::unique_ptr<telemetry::DeviceMonitor> monitor);
  /// Ends the watch.
  [[nodiscard]] WatchSummary finish();

 private:
  void run(const std::stop_token& stop);
  std::unique_ptr<telemetry::DeviceMonitor> monitor_;
  std::vector<telemetry::DeviceSample> samples_;
  std::vector<Seconds> spent_;
  std::jthread thread_;
};

}  // namespace penstock::cli::bench
