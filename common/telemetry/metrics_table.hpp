// Every metric of the project: name, kind, labels, help, who exposes it. The one place to add one.
// The parity test compares it with the list of names in the tests; the lint compares it with dashboards and
// alerts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace penstock::telemetry {

enum class MetricKind : std::uint8_t { counter, gauge, histogram };

/// A set of services, as bits of `1 << Service`.
using ServiceSet = std::uint8_t;
inline constexpr ServiceSet by_queue = 1, by_synthesis = 2, by_gpu = 4;

/// A label; `known` lists its values where they are known beforehand: such series exist from the start, with
/// value 0.
struct MetricLabel {
  std::string_view name;
  std::span<const std::string_view> known = {};
};

struct MetricRow {
  std::string_view name;  ///< without the prefix penstock_
  MetricKind kind = MetricKind::counter;
  ServiceSet services = 0;
  std::span<const MetricLabel> labels = {};
  std::string_view help;
  bool cuda_only = false;  ///< exposed by builds with CUDA only
};

[[nodiscard]] std::span<const MetricRow> metrics_table();
/// nullptr when there is no such metric; `name` with or without the prefix.
[[nodiscard]] const MetricRow* find_metric(std::string_view name);

inline constexpr std::string_view metric_prefix = "penstock_";

/// Seconds: 1-2-5 from 0.1 ms to 1000 s.
inline constexpr std::array<double, 22> duration_buckets = {
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2,
    0.5,    1,      2,      5,     10,    20,    50,   100,  200,  500, 1000};

}  // namespace penstock::telemetry
