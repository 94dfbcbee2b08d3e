#include "services/cli/bench/staging/staging_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/runtime/health.hpp"
#include "common/telemetry/metrics.hpp"

namespace penstock::cli::bench {
namespace {

using telemetry::IdleReason;

std::string_view word(groth16::PartitionKind kind) {
  return kind == groth16::PartitionKind::evaluated ? "evaluated" : "witness";
}
std::string_view word(groth16::Encoding encoding) {
  return encoding == groth16::Encoding::packed ? "packed" : "raw";
}
std::string_view word(HostMemory memory) {
  return host_memory_names[static_cast<std::size_t>(memory)];
}

double share(Seconds part, const StagingResult& result) {
  const double wall = result.time.wall().count();
  return wall > 0 ? part.count() / wall : 0;
}

/// Milliseconds below which `part` of the partitions stayed.
double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

nlohmann::ordered_json phases_json(const StagingResult& result) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < phase_count; ++i) {
    std::vector<double> values;
    for (const auto& one : result.phases)
      if (const auto spent = one.get(static_cast<Phase>(i))) values.push_back(Seconds(*spent).count() * 1e3);
    if (values.empty()) continue;
    phases[std::string(phase_names[i])] = {{"p50_ms", quantile(values, 0.5)},
                                           {"p95_ms", quantile(values, 0.95)}};
  }
  return phases;
}

nlohmann::ordered_json watch_json(const WatchSummary& watch) {
  nlohmann::ordered_json object{{"samples", watch.samples},
                                {"sample_ms", watch.mean_sample.count() * 1e3},
                                {"longest_sample_ms", watch.longest_sample.count() * 1e3}};
  const auto show = [&](const char* key, const std::optional<WatchSummary::Range>& range) {
    if (range) object[key] = {{"mean", range->mean}, {"min", range->least}, {"max", range->most}};
  };
  show("utilization", watch.utilization);
  show("pcie_to_device_gbps", watch.to_device_gbps);
  show("pcie_from_device_gbps", watch.from_device_gbps);
  show("power_watts", watch.power_watts);
  show("sm_clock_mhz", watch.sm_clock_mhz);
  return object;
}

std::string watch_words(const StagingResult& result) {
  if (!result.watch) return "";
  const auto mean = [](const std::optional<WatchSummary::Range>& range) { return range ? range->mean : 0; };
  const WatchSummary& watch = *result.watch;
  return fmt::format("  nvml {:.0f} %, to device {:.2f} GB/s, {:.0f} W, {:.0f} MHz",
                     100 * mean(watch.utilization), mean(watch.to_device_gbps), mean(watch.power_watts),
                     mean(watch.sm_clock_mhz));
}

}  // namespace

std::string staging_head() {
  return fmt::format("{:<10} {:<7} {:<9} {:>5} {:>5} {:>7} {:>9} {:>6} {:>6} {:>6} {:>9} {:>9}", "partition",
                     "coding", "memory", "lanes", "load", "busy %", "transfer", "host", "none", "load %",
                     "h2d GB/s", "parts/s");
}

std::string staging_row(const StagingResult& result) {
  const auto idle = [&](IdleReason reason) { return 100 * share(result.time.of(reason), result); };
  const StagingSettings& with = result.settings;
  std::string row = fmt::format(
      "{:<10} {:<7} {:<9} {:>5} {:>5} {:>7.2f} {:>9.2f} {:>6.2f} {:>6.2f} {:>6.2f} {:>9.2f} {:>9.2f}{}",
      word(with.partition), word(with.encoding), word(with.memory), with.lanes, with.load_threads,
      100 * share(result.time.busy, result), idle(IdleReason::transfer), idle(IdleReason::host),
      idle(IdleReason::no_partition), idle(IdleReason::circuit_load), result.h2d_gbps,
      result.partitions_per_second,
      result.oracle_busy_ratio ? fmt::format("  oracle {:.2f} %", 100 * *result.oracle_busy_ratio) : "");
  return row + watch_words(result);
}

std::string staging_words(const StagingSettings& settings) {
  return fmt::format("{} {} {}, {} lane{}, {} load threads{}", word(settings.partition),
                     word(settings.encoding), word(settings.memory), settings.lanes,
                     settings.lanes > 1 ? "s" : "", settings.load_threads,
                     settings.oracle  ? ", oracle"
                     : settings.watch ? ", nvml"
                                      : "");
}

std::string staging_line(const StagingResult& result, const StagingPlace& where) {
  nlohmann::ordered_json object{{"date", where.place.date},
                                {"commit", where.place.commit},
                                {"device", where.place.device},
                                {"bench", "staging"},
                                {"curve", name(where.curve)},
                                {"log2", where.log2},
                                {"partition", word(result.settings.partition)},
                                {"memory", word(result.settings.memory)},
                                {"encoding", word(result.settings.encoding)},
                                {"lanes", result.settings.lanes},
                                {"load_threads", result.settings.load_threads},
                                {"seconds", result.time.wall().count()},
                                {"partitions", result.partitions},
                                {"partition_bytes", result.partition_bytes},
                                {"busy_ratio", share(result.time.busy, result)}};
  for (std::size_t reason = 0; reason < result.time.idle.size(); ++reason)
    object["idle"][std::string(telemetry::idle_reason_names[reason])] =
        share(result.time.idle[reason], result);
  object["h2d_gbps"] = result.h2d_gbps;
  object["partitions_per_s"] = result.partitions_per_second;
  if (result.oracle_busy_ratio) object["oracle_busy_ratio"] = *result.oracle_busy_ratio;
  if (result.watch) object["nvml"] = watch_json(*result.watch);
  object["phases"] = phases_json(result);
  object["check"] = "ok";
  return object.dump();
}

std::string staging_metrics(const StagingResult& result, const StagingPlace& where,
                            const std::string& device) {
  const auto build = runtime::build_info();
  telemetry::Metrics metrics(telemetry::Service::gpu, build.version, build.commit, build.cuda);
  metrics.add("gpu_busy_seconds_total", {{"device", device}}, result.time.busy.count());
  for (std::size_t reason = 0; reason < result.time.idle.size(); ++reason)
    metrics.add("gpu_idle_seconds_total",
                {{"device", device}, {"reason", telemetry::idle_reason_names[reason]}},
                result.time.idle[reason].count());
  metrics.add("h2d_bytes_total", {{"device", device}, {"memory", word(result.settings.memory)}},
              static_cast<double>(result.partition_bytes) * static_cast<double>(result.phases.size()));
  for (const auto& phases : result.phases) metrics.observe_phases(phases, where.curve, device);
  return metrics.text();
}

}  // namespace penstock::cli::bench
