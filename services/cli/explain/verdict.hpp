// What holds a device back, by how much, and what to do: words from the metrics of a stretch of time.
// Pure: no clock, no network. Errors: not_found when the metrics speak of no device or no time has passed.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/telemetry/idle_ledger.hpp"
#include "services/cli/explain/metric_text.hpp"

namespace penstock::cli::explain {

/// One device between two scrapes of its service, or from the service's start to one scrape.
struct DeviceWindow {
  std::string device;
  telemetry::IdleLedger::Totals time;
  std::map<std::string, double> copied_bytes;  ///< by kind of host memory
  double copy_seconds = 0;                     ///< phase h2d, summed over the lanes
  double partitions = 0, circuit_loads = 0, evictions = 0, refused_for_slabs = 0;
  /// Of the queue, when its metrics are there too.
  struct Work {
    double waiting = 0;  ///< partitions that wait for synthesis or are in it
    double synthesis_workers = 0;
  };
  std::optional<Work> work = {};
};

/// `before` empty: since the service's start. A counter that went back belongs to a restarted service and
/// counts from zero. `queue`: a scrape of the queue, or the same text when one file holds both.
[[nodiscard]] Result<std::vector<DeviceWindow>> windows_between(const std::optional<MetricText>& before,
                                                                const MetricText& after,
                                                                const std::optional<MetricText>& queue);

struct Verdict {
  std::optional<telemetry::IdleReason> reason;  ///< empty: the device is busy
  std::string shares;                           ///< "device cuda:0 busy 51.0 % of 10.0 s: 44.0 % ..."
  std::string cause;                            ///< what holds it back
  std::string advice;                           ///< what to do
};

/// A device this busy is held back by nothing that could be cured here.
inline constexpr double healthy_busy = 0.97;

[[nodiscard]] Verdict judge(const DeviceWindow& window);
[[nodiscard]] nlohmann::ordered_json to_json(const DeviceWindow& window, const Verdict& verdict);

}  // namespace penstock::cli::explain
