// The metrics: the table is architecture.md's list, the text is what Prometheus reads, defects throw.
#include "common/telemetry/metrics.hpp"

#include <gmock/gmock.h>

#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "common/telemetry/metrics_table.hpp"

namespace penstock::telemetry {
namespace {

using testing::HasSubstr;

/// The list of the architecture: name{labels}. A metric is added here and in the table, or this test fails.
const std::map<std::string, std::set<std::string>>& architecture() {
  static const std::map<std::string, std::set<std::string>> list = {
      {"jobs_total", {"circuit", "result"}},
      {"job_duration_seconds", {"circuit"}},
      {"phase_duration_seconds", {"phase", "curve", "device"}},
      {"partitions_total", {"circuit", "result"}},
      {"queue_depth", {"stage", "priority"}},
      {"queue_oldest_age_seconds", {}},
      {"backlog_seconds", {"stage"}},
      {"rejected_total", {"reason"}},
      {"retries_total", {"reason"}},
      {"gpu_busy_seconds_total", {"device"}},
      {"gpu_idle_seconds_total", {"device", "reason"}},
      {"h2d_bytes_total", {"device", "memory"}},
      {"slabs", {"state"}},
      {"arena_bytes", {"state"}},
      {"device_memory_bytes", {"device", "kind"}},
      {"circuit_loads_total", {"circuit"}},
      {"circuit_evictions_total", {"reason"}},
      {"self_verify_failures_total", {"device"}},
      {"workers", {"kind", "state"}},
      {"credits", {"worker_kind"}},
      {"nvml_utilization_ratio", {"device"}},
      {"nvml_pcie_bytes_per_second", {"device", "direction"}},
      {"energy_joules_total", {"device"}},
      {"build_info", {"version", "commit", "cuda"}},
  };
  return list;
}

TEST(MetricsTable, is_the_list_of_the_architecture) {
  std::map<std::string, std::set<std::string>> table;
  for (const auto& row : metrics_table()) {
    auto& labels = table[std::string(row.name)];
    for (const auto& label : row.labels) labels.emplace(label.name);
    EXPECT_FALSE(row.help.empty());
    EXPECT_NE(row.services, 0) << row.name;
  }
  EXPECT_EQ(table, architecture());
}

TEST(MetricsTable, kinds_follow_from_the_names) {
  for (const auto& row : metrics_table()) {
    const bool total = row.name.ends_with("_total");
    EXPECT_EQ(total, row.kind == MetricKind::counter) << row.name;
    EXPECT_EQ(row.name.ends_with("_duration_seconds"), row.kind == MetricKind::histogram) << row.name;
  }
}

TEST(MetricsTable, buckets_are_1_2_5_from_a_tenth_of_a_millisecond) {
  ASSERT_EQ(duration_buckets.size(), 22u);
  const double steps[] = {1, 2, 5};
  double decade = 0.0001;
  for (std::size_t i = 0; i < duration_buckets.size(); ++i) {
    EXPECT_NEAR(duration_buckets[i] / (steps[i % 3] * decade), 1, 1e-9);
    if (i % 3 == 2) decade *= 10;
  }
}

class EveryService : public testing::TestWithParam<Service> {};
INSTANTIATE_TEST_SUITE_P(Metrics, EveryService,
                         testing::Values(Service::queue, Service::synthesis, Service::gpu));

TEST_P(EveryService, names_every_metric_that_applies_and_no_other) {
  Metrics metrics(GetParam(), "1", "abc", "none");
  const std::string text = metrics.text();
  for (const auto& row : metrics_table()) {
    const bool applies = (row.services & (1U << static_cast<unsigned>(GetParam()))) != 0 && !row.cuda_only;
    const std::string type = "# TYPE penstock_" + std::string(row.name) + " ";
    EXPECT_EQ(text.find(type) != std::string::npos, applies) << row.name;
    EXPECT_EQ(text.find(type), text.rfind(type)) << row.name << " is named twice";
  }
}

/// What promtool says of a text; nullopt when it is not installed.
std::optional<std::pair<int, std::string>> promtool(const std::string& text) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0) return std::nullopt;
  std::string file = (std::filesystem::temp_directory_path() / "penstock-metrics-XXXXXX").string();
  const int fd = mkstemp(file.data());
  if (fd < 0) return std::nullopt;
  ::close(fd);
  std::ofstream(file) << text;
  FILE* pipe = popen(("promtool check metrics < '" + file + "' 2>&1").c_str(), "r");
  std::string said;
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) said += buffer;
  const int status = pclose(pipe);
  std::filesystem::remove(file);
  return std::pair(status, said);
}

TEST_P(EveryService, passes_promtools_check) {
  Metrics metrics(GetParam(), "1.0 \"x\"\n", "abc", "13.0");
  PhaseTimes phases;
  phases.add(Phase::ntt, std::chrono::milliseconds(3));
  metrics.observe_phases(phases, CurveId::bn254, "cpu");
  const auto verdict = promtool(metrics.text());
  if (!verdict) GTEST_SKIP() << "promtool is not installed (Debian: prometheus)";
  EXPECT_EQ(verdict->first, 0) << verdict->second;
  EXPECT_EQ(verdict->second, "");
}

TEST(Metrics, start_at_zero_where_the_labels_are_known) {
  Metrics gpu(Service::gpu, "1", "abc", "none");
  EXPECT_THAT(gpu.text(), HasSubstr("penstock_slabs{state=\"free\"} 0"));
  Metrics queue(Service::queue, "1", "abc", "none");
  EXPECT_THAT(queue.text(), HasSubstr("penstock_workers{kind=\"gpu\",state=\"alive\"} 0"));
  EXPECT_THAT(queue.text(), HasSubstr("penstock_rejected_total{reason=\"overloaded\"} 0"));
  EXPECT_THAT(queue.text(), HasSubstr("penstock_queue_oldest_age_seconds 0"));
}

TEST(Metrics, count_set_and_observe) {
  Metrics metrics(Service::queue, "0.1.0", "abc", "");
  metrics.add("jobs_total", {{"circuit", "mul"}, {"result", "done"}});
  metrics.add("penstock_jobs_total", {{"result", "done"}, {"circuit", "mul"}}, 2);
  metrics.set("credits", {{"worker_kind", "gpu"}}, 4);
  metrics.observe("job_duration_seconds", {{"circuit", "mul"}}, 0.3);
  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("penstock_jobs_total{circuit=\"mul\",result=\"done\"} 3"));
  EXPECT_THAT(text, HasSubstr("penstock_credits{worker_kind=\"gpu\"} 4"));
  EXPECT_THAT(text, HasSubstr("penstock_job_duration_seconds_bucket{circuit=\"mul\",le=\"0.2\"} 0"));
  EXPECT_THAT(text, HasSubstr("penstock_job_duration_seconds_bucket{circuit=\"mul\",le=\"0.5\"} 1"));
  EXPECT_THAT(text, HasSubstr("cuda=\"none\""));
}

TEST(Metrics, observe_each_phase_of_a_record) {
  Metrics metrics(Service::gpu, "1", "abc", "none");
  PhaseTimes phases;
  phases.add(Phase::msm_b2, std::chrono::seconds(2));
  phases.add(Phase::h2d, std::chrono::microseconds(50));
  metrics.observe_phases(phases, CurveId::bls12_381, "cpu");
  const std::string text = metrics.text();
  EXPECT_THAT(
      text,
      HasSubstr(
          "penstock_phase_duration_seconds_sum{curve=\"bls12_381\",device=\"cpu\",phase=\"msm_b2\"} 2"));
  EXPECT_THAT(text, HasSubstr("phase=\"h2d\",le=\"0.0001\"} 1"));
}

TEST(Metrics, refresh_gauges_before_each_scrape) {
  Metrics metrics(Service::queue, "1", "abc", "none");
  int scrapes = 0;
  metrics.on_scrape([&] { metrics.set("queue_oldest_age_seconds", {}, ++scrapes); });
  EXPECT_THAT(metrics.text(), HasSubstr("penstock_queue_oldest_age_seconds 1"));
  EXPECT_THAT(metrics.text(), HasSubstr("penstock_queue_oldest_age_seconds 2"));
}

TEST(Metrics, a_wrong_name_kind_or_label_is_a_defect) {
  Metrics metrics(Service::queue, "1", "abc", "none");
  EXPECT_THROW(metrics.add("nonsense_total", {}), std::logic_error);
  EXPECT_THROW(metrics.add("credits", {{"worker_kind", "gpu"}}), std::logic_error);
  EXPECT_THROW(metrics.set("credits", {{"worker", "gpu"}}, 1), std::logic_error);
  EXPECT_THROW(metrics.set("credits", {}, 1), std::logic_error);
  EXPECT_THROW(metrics.add("jobs_total", {{"circuit", "a"}, {"circuit", "a"}, {"result", "done"}}),
               std::logic_error);
  EXPECT_THROW(metrics.set("slabs", {{"state", "free"}}, 1), std::logic_error) << "the gpu service's";
}

TEST(Metrics, may_be_used_from_many_threads) {
  Metrics metrics(Service::queue, "1", "abc", "none");
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) metrics.add("retries_total", {{"reason", "worker_lost"}});
      });
    static_cast<void>(metrics.text());
  }
  EXPECT_THAT(metrics.text(), HasSubstr("penstock_retries_total{reason=\"worker_lost\"} 2000"));
}

}  // namespace
}  // namespace penstock::telemetry
