#include "common/telemetry/metrics_table.hpp"

#include <algorithm>

namespace penstock::telemetry {
namespace {

using Labels = MetricLabel;
using Values = std::string_view;
constexpr auto counter = MetricKind::counter;
constexpr auto gauge = MetricKind::gauge;
constexpr auto histogram = MetricKind::histogram;

constexpr std::array<Values, 4> slab_states = {"free", "leased", "staged", "proving"};
constexpr std::array<Values, 2> worker_kinds = {"synthesis", "gpu"};
constexpr std::array<Values, 2> worker_states = {"alive", "draining"};
constexpr std::array<Values, 7> rejections = {
    "bad_request", "unauthorized", "circuit_unknown", "body_too_large", "conflict", "overloaded", "draining"};
constexpr std::array<Values, 3> retries = {"worker_lost", "worker_left", "lease_expired"};
constexpr std::array<Values, 3> evictions = {"requested", "memory", "budget"};

constexpr std::array circuit_result = {Labels{"circuit"}, Labels{"result"}};
constexpr std::array circuit = {Labels{"circuit"}};
constexpr std::array phase_curve_device = {Labels{"phase"}, Labels{"curve"}, Labels{"device"}};
constexpr std::array stage_priority = {Labels{"stage"}, Labels{"priority"}};
constexpr std::array stage = {Labels{"stage"}};
constexpr std::array rejection = {Labels{"reason", rejections}};
constexpr std::array retry = {Labels{"reason", retries}};
constexpr std::array eviction = {Labels{"reason", evictions}};
constexpr std::array device = {Labels{"device"}};
constexpr std::array device_reason = {Labels{"device"}, Labels{"reason"}};
constexpr std::array device_memory = {Labels{"device"}, Labels{"memory"}};
constexpr std::array device_kind = {Labels{"device"}, Labels{"kind"}};
constexpr std::array device_direction = {Labels{"device"}, Labels{"direction"}};
constexpr std::array slab_state = {Labels{"state", slab_states}};
constexpr std::array kind_state = {Labels{"kind", worker_kinds}, Labels{"state", worker_states}};
constexpr std::array worker_kind = {Labels{"worker_kind", worker_kinds}};
constexpr std::array build = {Labels{"version"}, Labels{"commit"}, Labels{"cuda"}};

constexpr ServiceSet by_all = by_queue | by_synthesis | by_gpu;

constexpr std::array<MetricRow, 24> table = {{
    {"jobs_total", counter, by_queue, circuit_result, "Jobs that ended, by result"},
    {"job_duration_seconds", histogram, by_queue, circuit, "From admission to the last verified proof"},
    {"phase_duration_seconds", histogram, by_all, phase_curve_device, "Time a partition spent in a phase"},
    {"partitions_total", counter, by_queue | by_gpu, circuit_result,
     "Partitions that ended in this service, by result"},
    {"queue_depth", gauge, by_queue, stage_priority, "Partitions that wait, by stage and priority"},
    {"queue_oldest_age_seconds", gauge, by_queue, {}, "Age of the oldest partition that waits"},
    {"backlog_seconds", gauge, by_queue, stage, "Measured time to work off what waits"},
    {"rejected_total", counter, by_queue | by_gpu, rejection, "Requests refused, by error code"},
    {"retries_total", counter, by_queue, retry, "Partitions put back into the queue, by reason"},
    {"gpu_busy_seconds_total", counter, by_gpu, device, "Time the device computed"},
    {"gpu_idle_seconds_total", counter, by_gpu, device_reason, "Time the device did not compute, by reason"},
    {"h2d_bytes_total", counter, by_gpu, device_memory, "Bytes copied to the device, by kind of host memory"},
    {"slabs", gauge, by_gpu, slab_state, "Slabs of the arena; free counts free ranges"},
    {"arena_bytes", gauge, by_gpu, slab_state, "Bytes of the arena, by state"},
    {"device_memory_bytes", gauge, by_gpu, device_kind, "Memory in use on the device, by purpose"},
    {"circuit_loads_total", counter, by_gpu, circuit, "Circuits loaded onto the device"},
    {"circuit_evictions_total", counter, by_gpu, eviction, "Circuits evicted from the device, by reason"},
    {"self_verify_failures_total", counter, by_gpu, device,
     "Proofs that failed the check for which the device is to blame"},
    {"workers", gauge, by_queue, kind_state, "Workers known to the queue"},
    {"credits", gauge, by_queue, worker_kind, "Partitions that workers would take now"},
    {"nvml_utilization_ratio", gauge, by_gpu, device, "NVML's utilization, 0 to 1", true},
    {"nvml_pcie_bytes_per_second", gauge, by_gpu, device_direction, "NVML's PCIe throughput", true},
    {"energy_joules_total", counter, by_gpu, device, "Energy the device used since the service started",
     true},
    {"build_info", gauge, by_all, build, "Always 1: what is running"},
}};

}  // namespace

std::span<const MetricRow> metrics_table() {
  return table;
}

const MetricRow* find_metric(std::string_view name) {
  if (name.starts_with(metric_prefix)) name.remove_prefix(metric_prefix.size());
  const auto* found =
      std::find_if(table.begin(), table.end(), [&](const MetricRow& row) { return row.name == name; });
  return found == table.end() ? nullptr : found;
}

}  // namespace penstock::telemetry
