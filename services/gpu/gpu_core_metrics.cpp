// The gauges and the ledger's counters.
#include "services/gpu/gpu_core.hpp"

namespace penstock::gpu {
namespace {

constexpr std::array<std::string_view, 4> slab_state_names = {"free", "leased", "staged", "proving"};

}  // namespace

void GpuCore::tick() {
  staging_->expire();
  const auto usage = staging_->slabs();
  for (std::size_t state = 0; state < slab_state_names.size(); ++state) {
    parts_.metrics.set("slabs", {{"state", slab_state_names[state]}},
                       static_cast<double>(usage.slabs[state]));
    parts_.metrics.set("arena_bytes", {{"state", slab_state_names[state]}},
                       static_cast<double>(usage.bytes[state]));
  }
  parts_.metrics.set("device_memory_bytes", {{"device", parts_.device.info().name}, {"kind", "circuits"}},
                     static_cast<double>(circuits_->resident_bytes()));
  refresh_ledger();
}

void GpuCore::refresh_ledger() {
  const std::lock_guard lock(ledger_mutex_);
  const std::string& device = parts_.device.info().name;
  const telemetry::IdleLedger::Totals totals = ledger_.totals();
  parts_.metrics.add("gpu_busy_seconds_total", {{"device", device}}, (totals.busy - reported_.busy).count());
  for (std::size_t reason = 0; reason < totals.idle.size(); ++reason)
    parts_.metrics.add("gpu_idle_seconds_total",
                       {{"device", device}, {"reason", telemetry::idle_reason_names[reason]}},
                       (totals.idle[reason] - reported_.idle[reason]).count());
  // There from the start: an alert on a counter that appears with its first failure misses that failure.
  parts_.metrics.add("self_verify_failures_total", {{"device", device}}, 0);
  reported_ = totals;
}

}  // namespace penstock::gpu
