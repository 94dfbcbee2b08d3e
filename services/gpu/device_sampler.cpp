#include "services/gpu/device_sampler.hpp"

#include <chrono>

namespace penstock::gpu {
namespace {

constexpr std::chrono::milliseconds interval{100};

}  // namespace

void DeviceGauges::show(const telemetry::DeviceSample& sample) {
  if (sample.utilization) metrics_.set("nvml_utilization_ratio", {{"device", device_}}, *sample.utilization);
  const auto show_pcie = [&](std::string_view direction, const std::optional<std::uint64_t>& rate) {
    if (!rate) return;
    metrics_.set("nvml_pcie_bytes_per_second", {{"device", device_}, {"direction", direction}},
                 static_cast<double>(*rate));
  };
  show_pcie("to_device", sample.pcie_to_device_per_second);
  show_pcie("from_device", sample.pcie_from_device_per_second);
  if (sample.memory_used_bytes)
    metrics_.set("device_memory_bytes", {{"device", device_}, {"kind", "used"}},
                 static_cast<double>(*sample.memory_used_bytes));
  if (!sample.energy_joules) return;
  // The driver counts from its own start, we from ours.
  const double spent = energy_joules_ ? *sample.energy_joules - *energy_joules_ : 0;
  energy_joules_ = sample.energy_joules;
  if (spent >= 0) metrics_.add("energy_joules_total", {{"device", device_}}, spent);
}

DeviceSampler::DeviceSampler(std::unique_ptr<telemetry::DeviceMonitor> monitor, telemetry::Metrics& metrics,
                             const std::string& device)
    : monitor_(std::move(monitor)),
      gauges_(metrics, device),
      thread_([this](std::stop_token stop) { run(stop); }) {}

void DeviceSampler::run(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    // From here: asking takes the driver tens of milliseconds itself.
    const auto next = std::chrono::steady_clock::now() + interval;
    gauges_.show(monitor_->sample());
    pause_.wait_until(lock, stop, next, [] { return false; });
  }
}

}  // namespace penstock::gpu
