// The staging benchmark: its circuit, its account, its picture.
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "common/circuit/r1cs.hpp"
#include "services/cli/bench/staging/staging_report.hpp"
#include "services/cli/bench/staging/timeline_svg.hpp"
#include "services/cli/explain/verdict.hpp"

namespace penstock::cli::bench {
namespace {

using circuit::Scalar;
using namespace std::chrono_literals;

TEST(MostlyBits, every_variant_satisfies_the_circuit_and_is_mostly_bits) {
  for (const CurveId curve : {CurveId::bn254, CurveId::bls12_381}) {
    const auto bits = MostlyBits::create(curve, 10);
    ASSERT_TRUE(bits.ok());
    const auto r1cs = circuit::R1cs::open(bits->r1cs());
    ASSERT_TRUE(r1cs.ok()) << to_string(r1cs.error());
    for (const std::uint64_t variant : {0, 1, 2}) {
      const auto witness = bits->witness(variant);
      const auto checked =
          circuit::check_witness(**r1cs, {curve, std::span<const Scalar>(witness)}, nullptr, 1);
      EXPECT_TRUE(checked.ok()) << to_string(checked.error());
      const auto wide =
          std::count_if(witness.begin(), witness.end(), [](const Scalar& v) { return v[3] != 0; });
      EXPECT_LT(wide, 60);
      EXPECT_GT(wide, 3);
    }
    EXPECT_NE(bits->witness(0), bits->witness(1));
  }
}

TEST(StagingBench, proves_every_kind_of_partition_and_accounts_for_the_time) {
  const auto prepared =
      StagingBench::prepare({.curve = CurveId::bn254, .log2 = 6, .device = "cpu", .most_lanes = 2});
  ASSERT_TRUE(prepared.ok()) << to_string(prepared.error());
  const auto run = [&](groth16::PartitionKind kind, groth16::Encoding encoding, HostMemory memory) {
    auto result = (*prepared)->run({kind, encoding, memory, 2, 1, 50ms, false});
    EXPECT_TRUE(result.ok()) << to_string(result.error());
    EXPECT_GT(result->time.busy.count(), 0);
    EXPECT_GT(result->partitions_per_second, 0);
    return std::move(result).value();
  };
  const auto evaluated = run(groth16::PartitionKind::evaluated, groth16::Encoding::raw, HostMemory::pageable);
  EXPECT_EQ(evaluated.partition_bytes, (2 * 64 + 64) * sizeof(Scalar));
  run(groth16::PartitionKind::witness, groth16::Encoding::raw, HostMemory::staged);
  const auto packed = run(groth16::PartitionKind::witness, groth16::Encoding::packed, HostMemory::pinned);
  EXPECT_LT(packed.partition_bytes, evaluated.partition_bytes / 3);
}

/// A driver that tells less and less: power falls, the clock is told once.
class FadingMonitor final : public telemetry::DeviceMonitor {
 public:
  explicit FadingMonitor(std::promise<void>& enough) : enough_(enough) {}
  telemetry::DeviceSample sample() override {
    telemetry::DeviceSample sample;
    sample.power_watts = 300.0 - 100.0 * count_;
    sample.pcie_to_device_per_second = 2'000'000'000;
    if (count_ == 0) sample.sm_clock_mhz = 1980;
    if (++count_ == 2) enough_.set_value();
    return sample;
  }

 private:
  std::promise<void>& enough_;
  int count_ = 0;
};

TEST(DeviceWatch, sums_up_what_the_driver_told_and_leaves_out_what_it_did_not) {
  std::promise<void> two;
  DeviceWatch watch(std::make_unique<FadingMonitor>(two));
  two.get_future().wait();
  const WatchSummary summary = watch.finish();
  ASSERT_GE(summary.samples, 2u);
  EXPECT_DOUBLE_EQ(summary.power_watts->most, 300);
  EXPECT_LE(summary.power_watts->least, 200);
  EXPECT_DOUBLE_EQ(summary.to_device_gbps->mean, 2);
  EXPECT_DOUBLE_EQ(summary.sm_clock_mhz->mean, 1980);
  EXPECT_FALSE(summary.utilization.has_value());
}

SteadyTime at(std::chrono::milliseconds since_start) {
  return SteadyTime(1000s) + since_start;
}

/// 100 ms: busy, then a transfer, then busy.
StagingResult scripted() {
  StagingResult result;
  result.settings = {
      groth16::PartitionKind::evaluated, groth16::Encoding::raw, HostMemory::pageable, 1, 8, 1s, false};
  result.time.busy = 60ms;
  result.time.idle[static_cast<std::size_t>(telemetry::IdleReason::transfer)] = 40ms;
  result.partitions = 2;
  result.partition_bytes = 1'000'000;
  result.h2d_gbps = 3.6;
  result.partitions_per_second = 20;
  result.account = {{{at(0ms), at(30ms)}, std::nullopt},
                    {{at(30ms), at(70ms)}, telemetry::IdleReason::transfer},
                    {{at(70ms), at(100ms)}, std::nullopt}};
  for (int i = 0; i < 2; ++i) {
    telemetry::PhaseTimes phases;
    phases.add(Phase::h2d, 20ms);
    phases.add(Phase::verify, 1ms);
    result.phases.push_back(phases);
  }
  result.lanes.push_back({0, {at(0ms), at(70ms)}, {{{at(0ms), at(30ms)}}, {{at(30ms), at(70ms)}}}});
  return result;
}

TEST(StagingReport, a_line_has_the_keys_of_the_other_benches_and_its_own) {
  const StagingPlace where{{"H200", "2026-12-01", "abc"}, CurveId::bls12_381, 22};
  const auto line = nlohmann::json::parse(staging_line(scripted(), where));
  EXPECT_EQ(line["bench"], "staging");
  EXPECT_EQ(line["partition"], "evaluated");
  EXPECT_EQ(line["memory"], "pageable");
  EXPECT_EQ(line["encoding"], "raw");
  EXPECT_EQ(line["lanes"], 1);
  EXPECT_EQ(line["load_threads"], 8);
  EXPECT_DOUBLE_EQ(line["busy_ratio"], 0.6);
  EXPECT_DOUBLE_EQ(line["idle"]["transfer"], 0.4);
  EXPECT_DOUBLE_EQ(line["h2d_gbps"], 3.6);
  EXPECT_DOUBLE_EQ(line["partitions_per_s"], 20);
  EXPECT_DOUBLE_EQ(line["phases"]["h2d"]["p95_ms"], 20);
}

TEST(StagingReport, its_metrics_are_what_explain_reads) {
  const StagingPlace where{{"H200", "2026-12-01", "abc"}, CurveId::bls12_381, 22};
  const auto text = explain::MetricText::parse(staging_metrics(scripted(), where, "cuda:0"));
  ASSERT_TRUE(text.ok());
  const auto windows = explain::windows_between(std::nullopt, *text, std::nullopt);
  ASSERT_TRUE(windows.ok());
  const auto verdict = explain::judge(windows->front());
  EXPECT_EQ(verdict.reason, telemetry::IdleReason::transfer);
  EXPECT_NE(verdict.advice.find("lease slabs from the arena"), std::string::npos);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto found = text.find(part); found != std::string::npos; found = text.find(part, found + 1)) ++count;
  return count;
}

TEST(TimelineSvg, draws_the_account_and_the_lanes_in_proportion) {
  const std::string svg = timeline_svg(scripted(), {.title = "a < b & c"});
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("lane 0"), std::string::npos);
  // 1080 wide for 100 ms: the transfer begins at 30 % and takes 40 %, on the device's strip.
  EXPECT_EQ(count_of(svg, "x=\"434.00\" y=\"174.0\" width=\"432.00\""), 1u) << svg;
}

TEST(TimelineSvg, pictures_the_middle_of_a_long_run) {
  const std::string svg = timeline_svg(scripted(), {.title = "t", .longest = 20ms});
  EXPECT_NE(svg.find("0.020 s of the run"), std::string::npos);
  EXPECT_EQ(timeline_svg(StagingResult{}, {}), "");
}

}  // namespace
}  // namespace penstock::cli::bench
