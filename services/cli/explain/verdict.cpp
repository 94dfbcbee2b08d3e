#include "services/cli/explain/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace penstock::cli::explain {
namespace {

using telemetry::IdleReason;

/// Below this a copy from pinned memory shares its way with something else.
constexpr double full_link_gbps = 40;

/// In the order in which a person is told of them.
constexpr std::array<std::pair<IdleReason, const char*>, 5> shares_in_words = {
    {{IdleReason::transfer, "waiting for transfers"},
     {IdleReason::no_partition, "no partition there"},
     {IdleReason::host, "waiting for the host"},
     {IdleReason::circuit_load, "loading circuits"},
     {IdleReason::fault, "out of service"}}};

double percent(Seconds part, Seconds whole) {
  return whole.count() > 0 ? 100 * part.count() / whole.count() : 0;
}

std::string shares_of(const DeviceWindow& window) {
  const Seconds wall = window.time.wall();
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [reason, words] : shares_in_words)
    if (const double share = percent(window.time.of(reason), wall); share >= 0.05)
      parts.emplace_back(share, fmt::format("{:.1f} % {}", share, words));
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text = fmt::format("device {} busy {:.1f} % of {:.1f} s", window.device,
                                 percent(window.time.busy, wall), wall.count());
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? ": " : ", ") + parts[i].second;
  return text;
}

std::optional<double> copy_gbps(const DeviceWindow& window) {
  double bytes = 0;
  for (const auto& [memory, copied] : window.copied_bytes) bytes += copied;
  if (window.copy_seconds <= 0 || bytes <= 0) return std::nullopt;
  return bytes / window.copy_seconds / 1e9;
}

std::string main_memory(const DeviceWindow& window) {
  const auto most = std::max_element(window.copied_bytes.begin(), window.copied_bytes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == window.copied_bytes.end() ? "" : most->first;
}

void explain_transfer(const DeviceWindow& window, Verdict& verdict) {
  const std::string memory = main_memory(window);
  const auto rate = copy_gbps(window);
  verdict.cause = fmt::format("it waits for transfers{}{}", memory.empty() ? "" : ": " + memory,
                              rate ? fmt::format(" at {:.1f} GB/s", *rate) : "");
  if (memory == "pageable" || memory == "staged")
    verdict.advice =
        "lease slabs from the arena: then copies come from pinned memory and overlap the kernels";
  else if (rate && *rate >= full_link_gbps)
    verdict.advice = "the link is at its rate: send packed witnesses instead of evaluated or raw partitions";
  else
    verdict.advice =
        "use two lanes (gpu.lanes), so that one copies while the other computes; send packed witnesses; less "
        "memory traffic beside the copies";
}

/// So many workers more that the same workers' rate would fill the device's idle time.
double missing_workers(const DeviceWindow& window) {
  const double busy = window.time.busy.count(), idle = window.time.of(IdleReason::no_partition).count();
  return busy > 0 ? std::max(1.0, std::ceil(window.work->synthesis_workers * idle / busy)) : 0;
}

void explain_no_partition(const DeviceWindow& window, Verdict& verdict) {
  const double share = percent(window.time.of(IdleReason::no_partition), window.time.wall());
  verdict.cause = "no partition is there to prove";
  if (window.refused_for_slabs > 0) {
    verdict.cause += fmt::format(", and {:.0f} requests found no free slab", window.refused_for_slabs);
    verdict.advice = "start the gpu service with a larger arena (gpu.arena_bytes)";
    return;
  }
  if (!window.work) {
    verdict.advice = fmt::format("add synthesis workers, or submit more work: no_partition {:.0f} %", share);
  } else if (window.work->waiting <= 0) {
    verdict.advice = "nothing waits in the queue either: submit more work, the device has time for it";
  } else if (window.work->synthesis_workers <= 0) {
    verdict.advice = fmt::format("{:.0f} partitions wait and no synthesis worker is there: start some",
                                 window.work->waiting);
  } else if (const double more = missing_workers(window); more > 0) {
    verdict.advice =
        fmt::format("add {:.0f} synthesis worker{}: no_partition {:.0f} %", more, more > 1 ? "s" : "", share);
  } else {
    verdict.advice = fmt::format("{:.0f} partitions wait and none has come yet: see penstock status",
                                 window.work->waiting);
  }
}

void explain_circuit_load(const DeviceWindow& window, Verdict& verdict) {
  verdict.cause = fmt::format("circuits are loaded meanwhile: {:.0f} of them", window.circuit_loads);
  verdict.advice = window.evictions > 0 ? fmt::format(
                                              "circuits take turns on the device ({:.0f} evicted): raise "
                                              "gpu.circuit_memory, or give them a device each",
                                              window.evictions)
                                        : "preload before the first job: penstock circuit preload NAME";
}

void explain(IdleReason reason, const DeviceWindow& window, Verdict& verdict) {
  switch (reason) {
    case IdleReason::transfer:
      return explain_transfer(window, verdict);
    case IdleReason::no_partition:
      return explain_no_partition(window, verdict);
    case IdleReason::circuit_load:
      return explain_circuit_load(window, verdict);
    case IdleReason::host:
      verdict.cause = "it waits for the host: launches, waits and the assembly of proofs";
      verdict.advice =
          "use two lanes (gpu.lanes) and leave the gpu service cores of its own; circuits this small are "
          "bound by their launches";
      return;
    case IdleReason::fault:
      verdict.cause = "the device is lost or quarantined";
      verdict.advice = "see the gpu service's log and penstock doctor; the queue gives its work to another";
      return;
  }
}

/// What a counter gained; a restarted service begins again at zero.
double gained(const std::optional<MetricText>& before, const MetricText& after, std::string_view name,
              const MetricText::Labels& labels = {}) {
  const double now = after.sum(name, labels);
  const double then = before ? before->sum(name, labels) : 0;
  return now >= then ? now - then : now;
}

DeviceWindow window_of(const std::string& device, const std::optional<MetricText>& before,
                       const MetricText& after) {
  DeviceWindow window;
  window.device = device;
  window.time.busy = Seconds(gained(before, after, "penstock_gpu_busy_seconds_total", {{"device", device}}));
  for (std::size_t reason = 0; reason < window.time.idle.size(); ++reason)
    window.time.idle[reason] =
        Seconds(gained(before, after, "penstock_gpu_idle_seconds_total",
                       {{"device", device}, {"reason", std::string(telemetry::idle_reason_names[reason])}}));
  for (const auto& memory : after.values_of("penstock_h2d_bytes_total", "memory"))
    window.copied_bytes[memory] =
        gained(before, after, "penstock_h2d_bytes_total", {{"device", device}, {"memory", memory}});
  window.copy_seconds =
      gained(before, after, "penstock_phase_duration_seconds_sum", {{"device", device}, {"phase", "h2d"}});
  window.partitions = gained(before, after, "penstock_phase_duration_seconds_count",
                             {{"device", device}, {"phase", "verify"}});
  window.circuit_loads = gained(before, after, "penstock_circuit_loads_total");
  window.evictions = gained(before, after, "penstock_circuit_evictions_total", {{"reason", "budget"}}) +
                     gained(before, after, "penstock_circuit_evictions_total", {{"reason", "memory"}});
  window.refused_for_slabs = gained(before, after, "penstock_rejected_total", {{"reason", "overloaded"}});
  return window;
}

}  // namespace

Result<std::vector<DeviceWindow>> windows_between(const std::optional<MetricText>& before,
                                                  const MetricText& after,
                                                  const std::optional<MetricText>& queue) {
  std::vector<DeviceWindow> windows;
  for (const auto& device : after.values_of("penstock_gpu_busy_seconds_total", "device")) {
    DeviceWindow window = window_of(device, before, after);
    if (queue && queue->has("penstock_queue_depth")) {
      window.work.emplace();
      window.work->waiting = queue->sum("penstock_queue_depth", {{"stage", "queued"}}) +
                             queue->sum("penstock_queue_depth", {{"stage", "synthesis"}});
      window.work->synthesis_workers =
          queue->sum("penstock_workers", {{"kind", "synthesis"}, {"state", "alive"}});
    }
    if (window.time.wall().count() > 0) windows.push_back(std::move(window));
  }
  if (!windows.empty()) return windows;
  return Error{.code = ErrorCode::not_found,
               .what = "these metrics tell of no device, or no time has passed between them",
               .hint = "they are those of a penstock-gpu: its address is in penstock status --json"};
}

Verdict judge(const DeviceWindow& window) {
  Verdict verdict;
  verdict.shares = shares_of(window);
  const Seconds wall = window.time.wall();
  if (percent(window.time.busy, wall) >= 100 * healthy_busy) {
    verdict.cause = "nothing holds it back: it computes";
    verdict.advice = "for more proofs a second add a device";
    return verdict;
  }
  const auto most = std::max_element(window.time.idle.begin(), window.time.idle.end());
  verdict.reason = static_cast<IdleReason>(most - window.time.idle.begin());
  explain(*verdict.reason, window, verdict);
  return verdict;
}

nlohmann::ordered_json to_json(const DeviceWindow& window, const Verdict& verdict) {
  const Seconds wall = window.time.wall();
  nlohmann::ordered_json object{{"device", window.device},
                                {"seconds", wall.count()},
                                {"busy_ratio", window.time.busy / wall},
                                {"verdict", verdict.reason ? name(*verdict.reason) : "busy"},
                                {"cause", verdict.cause},
                                {"advice", verdict.advice}};
  for (std::size_t reason = 0; reason < window.time.idle.size(); ++reason)
    object["idle"][std::string(telemetry::idle_reason_names[reason])] = window.time.idle[reason] / wall;
  object["partitions_per_second"] = window.partitions / wall.count();
  if (const auto rate = copy_gbps(window)) object["h2d_gbps"] = *rate;
  return object;
}

}  // namespace penstock::cli::explain
