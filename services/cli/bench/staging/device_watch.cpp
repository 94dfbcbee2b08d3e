#include "services/cli/bench/staging/device_watch.hpp"

#include <algorithm>
#include <condition_variable>
#include <numeric>

namespace penstock::cli::bench {
namespace {

constexpr std::chrono::milliseconds interval{100};

/// Over the samples that have a value.
template <class Value>
std::optional<WatchSummary::Range> range_of(const std::vector<telemetry::DeviceSample>& samples,
                                            Value value) {
  WatchSummary::Range range;
  double sum = 0, count = 0;
  for (const auto& sample : samples) {
    const std::optional<double> one = value(sample);
    if (!one) continue;
    range.least = count == 0 ? *one : std::min(range.least, *one);
    range.most = count == 0 ? *one : std::max(range.most, *one);
    sum += *one;
    ++count;
  }
  if (count == 0) return std::nullopt;
  range.mean = sum / count;
  return range;
}

template <class T>
std::optional<double> scaled(const std::optional<T>& value, double scale) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value) * scale;
}

}  // namespace

DeviceWatch::DeviceWatch(std::unique_ptr<telemetry::DeviceMonitor> monitor)
    : monitor_(std::move(monitor)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void DeviceWatch::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any pause;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    const auto begin = std::chrono::steady_clock::now();
    samples_.push_back(monitor_->sample());
    spent_.push_back(std::chrono::steady_clock::now() - begin);
    pause.wait_until(lock, stop, begin + interval, [] { return false; });
  }
}

WatchSummary DeviceWatch::finish() {
  thread_.request_stop();
  thread_.join();
  using telemetry::DeviceSample;
  WatchSummary summary;
  summary.samples = samples_.size();
  summary.utilization = range_of(samples_, [](const DeviceSample& one) { return one.utilization; });
  summary.to_device_gbps =
      range_of(samples_, [](const DeviceSample& one) { return scaled(one.pcie_to_device_per_second, 1e-9); });
  summary.from_device_gbps = range_of(
      samples_, [](const DeviceSample& one) { return scaled(one.pcie_from_device_per_second, 1e-9); });
  summary.power_watts = range_of(samples_, [](const DeviceSample& one) { return one.power_watts; });
  summary.sm_clock_mhz =
      range_of(samples_, [](const DeviceSample& one) { return scaled(one.sm_clock_mhz, 1); });
  if (spent_.empty()) return summary;
  summary.longest_sample = *std::max_element(spent_.begin(), spent_.end());
  summary.mean_sample =
      std::accumulate(spent_.begin(), spent_.end(), Seconds(0)) / static_cast<double>(spent_.size());
  return summary;
}

}  // namespace penstock::cli::bench
