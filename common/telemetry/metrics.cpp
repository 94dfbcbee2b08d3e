#include "common/telemetry/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "common/telemetry/metrics_table.hpp"

namespace penstock::telemetry {
namespace {

using LabelMap = prometheus::Labels;

[[noreturn]] void defect(std::string_view metric, std::string_view why) {
  throw std::logic_error("metric " + std::string(metric) + ": " + std::string(why));
}

std::string full_name(const MetricRow& row) {
  return std::string(metric_prefix) + std::string(row.name);
}

LabelMap label_map(const MetricRow& row, std::initializer_list<Metrics::Label> labels) {
  LabelMap out;
  for (const auto& label : labels) out.emplace(std::string(label.name), std::string(label.value));
  bool fits = out.size() == row.labels.size() && labels.size() == row.labels.size();
  for (const auto& wanted : row.labels) fits = fits && out.contains(std::string(wanted.name));
  if (!fits) defect(row.name, "its labels are not those of the table");
  return out;
}

/// Calls visit(labels) for every combination of known values; never when some label's values are not known.
template <class Visit>
void for_each_known(std::span<const MetricLabel> labels, LabelMap& chosen, const Visit& visit) {
  if (labels.empty()) return visit(chosen);
  for (const auto value : labels.front().known) {
    chosen[std::string(labels.front().name)] = std::string(value);
    for_each_known(labels.subspan(1), chosen, visit);
  }
}

std::string_view type_word(MetricKind kind) {
  switch (kind) {
    case MetricKind::counter:
      return "counter";
    case MetricKind::gauge:
      return "gauge";
    case MetricKind::histogram:
      return "histogram";
  }
  return "untyped";
}

const std::vector<double>& buckets() {
  static const std::vector<double> bounds(duration_buckets.begin(), duration_buckets.end());
  return bounds;
}

}  // namespace

/// One family per row that applies; exactly one of the three pointers is set.
struct Family {
  const MetricRow* row = nullptr;
  prometheus::Family<prometheus::Counter>* counters = nullptr;
  prometheus::Family<prometheus::Gauge>* gauges = nullptr;
  prometheus::Family<prometheus::Histogram>* histograms = nullptr;
};

struct Metrics::Impl {
  prometheus::Registry registry;
  std::unordered_map<std::string_view, Family> families;  // keys: the table's names
  std::mutex refresh_mutex;
  std::vector<std::function<void()>> refreshers;

  void add_family(const MetricRow& row) {
    Family family{.row = &row};
    const std::string name = full_name(row), help(row.help);
    switch (row.kind) {
      case MetricKind::counter:
        family.counters = &prometheus::BuildCounter().Name(name).Help(help).Register(registry);
        break;
      case MetricKind::gauge:
        family.gauges = &prometheus::BuildGauge().Name(name).Help(help).Register(registry);
        break;
      case MetricKind::histogram:
        family.histograms = &prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
        break;
    }
    LabelMap labels;
    for_each_known(row.labels, labels, [&](const LabelMap& known) {
      if (family.counters != nullptr) family.counters->Add(known);
      if (family.gauges != nullptr) family.gauges->Add(known);
      if (family.histograms != nullptr) family.histograms->Add(known, buckets());
    });
    families.emplace(row.name, family);
  }

  const Family& family(std::string_view metric, MetricKind kind) const {
    if (metric.starts_with(metric_prefix)) metric.remove_prefix(metric_prefix.size());
    const auto found = families.find(metric);
    if (found == families.end()) defect(metric, "this service does not expose it");
    if (found->second.row->kind != kind) defect(metric, "it is of another kind");
    return found->second;
  }
};

Metrics::Metrics(Service service, std::string_view version, std::string_view commit, std::string_view cuda)
    : impl_(std::make_unique<Impl>()) {
  const auto self = static_cast<ServiceSet>(1U << static_cast<unsigned>(service));
  const bool has_cuda = !cuda.empty() && cuda != "none";
  for (const auto& row : metrics_table())
    if ((row.services & self) != 0 && (has_cuda || !row.cuda_only)) impl_->add_family(row);
  set("build_info", {{"version", version}, {"commit", commit}, {"cuda", has_cuda ? cuda : "none"}}, 1);
}

Metrics::~Metrics() = default;

void Metrics::add(std::string_view metric, std::initializer_list<Label> labels, double amount) {
  const Family& family = impl_->family(metric, MetricKind::counter);
  family.counters->Add(label_map(*family.row, labels)).Increment(amount);
}

void Metrics::set(std::string_view metric, std::initializer_list<Label> labels, double value) {
  const Family& family = impl_->family(metric, MetricKind::gauge);
  family.gauges->Add(label_map(*family.row, labels)).Set(value);
}

void Metrics::observe(std::string_view metric, std::initializer_list<Label> labels, double seconds) {
  const Family& family = impl_->family(metric, MetricKind::histogram);
  family.histograms->Add(label_map(*family.row, labels), buckets()).Observe(seconds);
}

void Metrics::observe_phases(const PhaseTimes& phases, CurveId curve, std::string_view device) {
  phases.for_each([&](Phase phase, Duration spent) {
    observe("phase_duration_seconds", {{"phase", name(phase)}, {"curve", name(curve)}, {"device", device}},
            std::chrono::duration<double>(spent).count());
  });
}

void Metrics::on_scrape(std::function<void()> refresh) {
  const std::scoped_lock lock(impl_->refresh_mutex);
  impl_->refreshers.push_back(std::move(refresh));
}

std::string Metrics::text() {
  {
    const std::scoped_lock lock(impl_->refresh_mutex);
    for (const auto& refresh : impl_->refreshers) refresh();
  }
  auto collected = impl_->registry.Collect();
  std::string out = prometheus::TextSerializer().Serialize(collected);
  // A family without a series yet says nothing by itself: its name and help are shown all the same.
  for (const auto& row : metrics_table()) {
    const std::string full = full_name(row);
    const bool shown =
        std::any_of(collected.begin(), collected.end(), [&](const auto& f) { return f.name == full; });
    if (shown || !impl_->families.contains(row.name)) continue;
    out += "# HELP " + full + " " + std::string(row.help) + "\n# TYPE " + full + " " +
           std::string(type_word(row.kind)) + "\n";
  }
  return out;
}

}  // namespace penstock::telemetry
