// The Prometheus metrics of architecture.md: one class, one member function per metric, built in main, passed
// by reference. Threads: any. Errors: none. Cost: an atomic add. Labels are bounded: job ids never are one.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/curve_id.hpp"
#include "common/telemetry/phase_times.hpp"

namespace penstock::telemetry {

enum class Service : std::uint8_t { queue, synthesis, gpu };

/// Exposes, from the start with value 0 where the label set is known, exactly the metrics that apply to the
/// service.
class Metrics {
 public:
  Metrics(Service service, std::string_view version, std::string_view commit, std::string_view cuda);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Generic, checked against the table of architecture.md (an unknown name or a wrong label set throws: a
  /// defect).
  struct Label {
    std::string_view name, value;
  };
  void add(std::string_view metric, std::initializer_list<Label> labels, double amount = 1);   ///< counters
  void set(std::string_view metric, std::initializer_list<Label> labels, double value);        ///< gauges
  void observe(std::string_view metric, std::initializer_list<Label> labels, double seconds);  ///< histograms
  /// phase_duration_seconds for every phase in the record.
  void observe_phases(const PhaseTimes& phases, CurveId curve, std::string_view device);

  /// Called before every scrape: to set gauges that are derived from state. Runs on the scraper's thread.
  void on_scrape(std::function<void()> refresh);
  /// Prometheus text format 0.0.4.
  [[nodiscard]] std::string text();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::telemetry
