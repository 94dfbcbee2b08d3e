// The driver's word about the device, as metrics.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "common/runtime/health.hpp"
#include "services/gpu/device_sampler.hpp"

namespace penstock::gpu {
namespace {

double value_of(telemetry::Metrics& metrics, const std::string& series) {
  const std::string text = metrics.text();
  const auto at = text.find("\npenstock_" + series + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(text.find(' ', at) + 1));
}

// Fault: the build said "CUDA none" with CUDA in it, so the service had no gauges for the device it sampled
// and ended at its first sample.
TEST(DeviceGauges, a_build_with_the_device_has_the_gauges_for_it) {
  const auto build = runtime::build_info();
  EXPECT_EQ(build.cuda != "none", PENSTOCK_WITH_CUDA == 1) << build.cuda;
  if (PENSTOCK_WITH_CUDA != 1) return;
  telemetry::Metrics metrics(telemetry::Service::gpu, build.version, build.commit, build.cuda);
  telemetry::DeviceSample sample;
  sample.utilization = 0.5;
  DeviceGauges(metrics, "cuda:0").show(sample);
  EXPECT_DOUBLE_EQ(value_of(metrics, "nvml_utilization_ratio{device=\"cuda:0\"}"), 0.5);
}

TEST(DeviceGauges, a_sample_is_shown_in_base_units_and_energy_since_our_start) {
  telemetry::Metrics metrics(telemetry::Service::gpu, "0", "0", "13.0");
  DeviceGauges gauges(metrics, "cuda:0");
  telemetry::DeviceSample sample{.utilization = 0.75,
                                 .memory_used_bytes = 1000,
                                 .pcie_to_device_per_second = 5'000'000,
                                 .pcie_from_device_per_second = 7'000,
                                 .power_watts = 300,
                                 .energy_joules = 1e6,
                                 .sm_clock_mhz = 1980};
  gauges.show(sample);
  EXPECT_DOUBLE_EQ(value_of(metrics, "energy_joules_total{device=\"cuda:0\"}"), 0);
  sample.energy_joules = 1e6 + 42;
  gauges.show(sample);
  EXPECT_DOUBLE_EQ(value_of(metrics, "energy_joules_total{device=\"cuda:0\"}"), 42);
  EXPECT_DOUBLE_EQ(value_of(metrics, "nvml_utilization_ratio{device=\"cuda:0\"}"), 0.75);
  EXPECT_DOUBLE_EQ(value_of(metrics, "nvml_pcie_bytes_per_second{device=\"cuda:0\",direction=\"to_device\"}"),
                   5e6);
  EXPECT_DOUBLE_EQ(
      value_of(metrics, "nvml_pcie_bytes_per_second{device=\"cuda:0\",direction=\"from_device\"}"), 7e3);
  EXPECT_DOUBLE_EQ(value_of(metrics, "device_memory_bytes{device=\"cuda:0\",kind=\"used\"}"), 1000);
}

TEST(DeviceGauges, what_a_device_does_not_tell_is_not_shown) {
  telemetry::Metrics metrics(telemetry::Service::gpu, "0", "0", "13.0");
  DeviceGauges(metrics, "cuda:0").show({});
  EXPECT_EQ(metrics.text().find("device=\"cuda:0\""), std::string::npos);
}

class CountedMonitor final : public telemetry::DeviceMonitor {
 public:
  explicit CountedMonitor(std::atomic<int>& samples) : samples_(samples) {}
  telemetry::DeviceSample sample() override {
    ++samples_;
    samples_.notify_all();
    return {};
  }

 private:
  std::atomic<int>& samples_;
};

TEST(DeviceSampler, samples_until_it_is_destroyed) {
  telemetry::Metrics metrics(telemetry::Service::gpu, "0", "0", "13.0");
  std::atomic<int> samples = 0;
  {
    const DeviceSampler sampler(std::make_unique<CountedMonitor>(samples), metrics, "cuda:0");
    for (int seen = 0; seen < 2; seen = samples) samples.wait(seen);
  }
  EXPECT_GE(samples, 2);
}

}  // namespace
}  // namespace penstock::gpu
