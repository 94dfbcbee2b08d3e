// The right verdict for each reason, on scripted metrics; and texts that are none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "services/cli/explain/verdict.hpp"

namespace penstock::cli::explain {
namespace {

/// What a gpu service's /metrics says about one device.
struct Script {
  double busy = 0, fault = 0, circuit_load = 0, transfer = 0, host = 0, no_partition = 0;
  std::string memory = "pinned";
  double copied_bytes = 0, copy_seconds = 0, circuit_loads = 0, evictions = 0, refused = 0;

  [[nodiscard]] std::string text() const {
    std::string out = "# HELP penstock_gpu_busy_seconds_total Time the device computed\n";
    out += fmt::format("penstock_gpu_busy_seconds_total{{device=\"cuda:0\"}} {}\n", busy);
    const auto idle = [&](const char* reason, double seconds) {
      out += fmt::format("penstock_gpu_idle_seconds_total{{device=\"cuda:0\",reason=\"{}\"}} {}\n", reason,
                         seconds);
    };
    idle("fault", fault);
    idle("circuit_load", circuit_load);
    idle("transfer", transfer);
    idle("host", host);
    idle("no_partition", no_partition);
    out +=
        fmt::format("penstock_h2d_bytes_total{{device=\"cuda:0\",memory=\"{}\"}} {}\n", memory, copied_bytes);
    for (const char* curve : {"bn254", "bls12_381"})
      out += fmt::format(
          "penstock_phase_duration_seconds_sum{{phase=\"h2d\",curve=\"{}\",device=\"cuda:0\"}} {}\n", curve,
          copy_seconds / 2);
    out += fmt::format("penstock_circuit_loads_total{{circuit=\"a\"}} {}\n", circuit_loads);
    out += fmt::format("penstock_circuit_evictions_total{{reason=\"budget\"}} {}\n", evictions);
    out += fmt::format("penstock_rejected_total{{reason=\"overloaded\"}} {}\n", refused);
    return out;
  }
};

std::string queue_text(double waiting, double workers) {
  return fmt::format(
      "penstock_queue_depth{{stage=\"queued\",priority=\"normal\"}} {}\n"
      "penstock_workers{{kind=\"synthesis\",state=\"alive\"}} {}\n"
      "penstock_workers{{kind=\"gpu\",state=\"alive\"}} 1\n",
      waiting, workers);
}

MetricText parsed(const std::string& text) {
  auto result = MetricText::parse(text);
  EXPECT_TRUE(result.ok());
  return std::move(result).value();
}

Verdict verdict_of(const Script& script, const std::optional<std::string>& queue = {}) {
  std::optional<MetricText> of_queue;
  if (queue) of_queue = parsed(*queue);
  const auto windows = windows_between(std::nullopt, parsed(script.text()), of_queue);
  EXPECT_TRUE(windows.ok());
  return judge(windows->front());
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Explain, a_busy_device_is_held_back_by_nothing) {
  const auto verdict = verdict_of({.busy = 98, .host = 2});
  EXPECT_FALSE(verdict.reason.has_value());
  EXPECT_EQ(verdict.shares, "device cuda:0 busy 98.0 % of 100.0 s: 2.0 % waiting for the host");
  EXPECT_TRUE(says(verdict.advice, "add a device"));
}

TEST(Explain, pageable_transfers_are_named_with_their_rate_and_their_cure) {
  const auto verdict = verdict_of({.busy = 51,
                                   .transfer = 44,
                                   .host = 3,
                                   .no_partition = 2,
                                   .memory = "pageable",
                                   .copied_bytes = 3.6e11,
                                   .copy_seconds = 100});
  EXPECT_EQ(verdict.reason, telemetry::IdleReason::transfer);
  EXPECT_EQ(verdict.shares,
            "device cuda:0 busy 51.0 % of 100.0 s: 44.0 % waiting for transfers, 3.0 % waiting for the host, "
            "2.0 % no partition there");
  EXPECT_TRUE(says(verdict.cause, "pageable at 3.6 GB/s")) << verdict.cause;
  EXPECT_TRUE(says(verdict.advice, "lease slabs from the arena")) << verdict.advice;
}

TEST(Explain, pinned_transfers_at_the_links_rate_ask_for_less_to_copy) {
  const Script fast{.busy = 50, .transfer = 50, .copied_bytes = 5e12, .copy_seconds = 100};
  EXPECT_TRUE(says(verdict_of(fast).advice, "packed witnesses instead of evaluated"))
      << verdict_of(fast).advice;
  const Script slow{.busy = 50, .transfer = 50, .copied_bytes = 1e12, .copy_seconds = 100};
  EXPECT_TRUE(says(verdict_of(slow).advice, "two lanes")) << verdict_of(slow).advice;
}

TEST(Explain, a_starved_device_wants_so_many_more_workers) {
  const auto verdict = verdict_of({.busy = 62, .no_partition = 38}, queue_text(500, 5));
  EXPECT_EQ(verdict.reason, telemetry::IdleReason::no_partition);
  EXPECT_EQ(verdict.advice, "add 4 synthesis workers: no_partition 38 %");
}

TEST(Explain, a_device_without_work_wants_work_and_not_workers) {
  const auto verdict = verdict_of({.busy = 1, .no_partition = 99}, queue_text(0, 5));
  EXPECT_TRUE(says(verdict.advice, "submit more work")) << verdict.advice;
}

TEST(Explain, work_without_a_single_worker_is_said_so) {
  const auto verdict = verdict_of({.no_partition = 100}, queue_text(12, 0));
  EXPECT_TRUE(says(verdict.advice, "12 partitions wait and no synthesis worker")) << verdict.advice;
}

TEST(Explain, without_the_queue_the_advice_leaves_both_open) {
  const auto verdict = verdict_of({.busy = 10, .no_partition = 90});
  EXPECT_TRUE(says(verdict.advice, "add synthesis workers, or submit more work: no_partition 90 %"));
}

TEST(Explain, exhausted_slabs_are_the_arenas_fault) {
  const auto verdict = verdict_of({.busy = 40, .no_partition = 60, .refused = 9}, queue_text(500, 5));
  EXPECT_TRUE(says(verdict.cause, "9 requests found no free slab")) << verdict.cause;
  EXPECT_TRUE(says(verdict.advice, "gpu.arena_bytes")) << verdict.advice;
}

TEST(Explain, the_host_is_named_when_it_holds_the_device_back) {
  const auto verdict = verdict_of({.busy = 40, .transfer = 10, .host = 50});
  EXPECT_EQ(verdict.reason, telemetry::IdleReason::host);
  EXPECT_TRUE(says(verdict.advice, "two lanes"));
}

TEST(Explain, circuit_loads_are_cured_by_preloading_or_by_memory) {
  const Script first{.busy = 30, .circuit_load = 70, .circuit_loads = 1};
  EXPECT_EQ(verdict_of(first).reason, telemetry::IdleReason::circuit_load);
  EXPECT_TRUE(says(verdict_of(first).advice, "penstock circuit preload"));
  const Script turns{.busy = 30, .circuit_load = 70, .circuit_loads = 8, .evictions = 7};
  EXPECT_TRUE(says(verdict_of(turns).advice, "gpu.circuit_memory")) << verdict_of(turns).advice;
}

TEST(Explain, a_fault_is_a_fault) {
  const auto verdict = verdict_of({.busy = 30, .fault = 70});
  EXPECT_EQ(verdict.reason, telemetry::IdleReason::fault);
  EXPECT_TRUE(says(verdict.cause, "lost or quarantined"));
}

TEST(Explain, between_two_scrapes_only_the_difference_counts) {
  const Script before{.busy = 100, .no_partition = 900}, after{.busy = 109, .host = 1, .no_partition = 900};
  const auto windows = windows_between(parsed(before.text()), parsed(after.text()), std::nullopt);
  ASSERT_TRUE(windows.ok());
  EXPECT_EQ(judge(windows->front()).shares,
            "device cuda:0 busy 90.0 % of 10.0 s: 10.0 % waiting for the host");
}

TEST(Explain, a_service_that_was_restarted_counts_from_zero) {
  const Script before{.busy = 100, .no_partition = 900}, after{.busy = 4, .no_partition = 1};
  const auto windows = windows_between(parsed(before.text()), parsed(after.text()), std::nullopt);
  ASSERT_TRUE(windows.ok());
  EXPECT_DOUBLE_EQ(windows->front().time.busy.count(), 4);
}

TEST(Explain, json_has_the_shares_the_verdict_and_the_rate) {
  const Script script{.busy = 50, .transfer = 50, .copied_bytes = 5e12, .copy_seconds = 100};
  const auto windows = windows_between(std::nullopt, parsed(script.text()), std::nullopt);
  ASSERT_TRUE(windows.ok());
  const auto object = to_json(windows->front(), judge(windows->front()));
  EXPECT_EQ(object["verdict"], "transfer");
  EXPECT_DOUBLE_EQ(object["busy_ratio"], 0.5);
  EXPECT_DOUBLE_EQ(object["idle"]["transfer"], 0.5);
  EXPECT_DOUBLE_EQ(object["h2d_gbps"], 50);
}

TEST(Explain, metrics_of_no_device_are_refused) {
  EXPECT_FALSE(windows_between(std::nullopt, parsed(queue_text(1, 1)), std::nullopt).ok());
  EXPECT_FALSE(windows_between(std::nullopt, parsed(Script{}.text()), std::nullopt).ok());
}

TEST(MetricText, reads_labels_with_escapes_and_refuses_what_is_no_metric) {
  const auto text = parsed("a{x=\"one\\\"two\\\\\",y=\"z\"} 1.5e3 1700000000\nb 2\n\n# comment\r\nc NaN\n");
  EXPECT_DOUBLE_EQ(text.sum("a", {{"x", "one\"two\\"}}), 1500);
  EXPECT_DOUBLE_EQ(text.sum("b"), 2);
  for (const char* bad : {"a{x=\"1} 2", "a{x} 2", "a{x=\"1\"", "{} 1", "a b", "a", "a{x=\"1\" y=\"2\"} 1"})
    EXPECT_FALSE(MetricText::parse(bad).ok()) << bad;
}

}  // namespace
}  // namespace penstock::cli::explain
