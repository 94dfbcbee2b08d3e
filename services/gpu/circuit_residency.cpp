#include "services/gpu/circuit_residency.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace penstock::gpu {

CircuitResidency::CircuitResidency(const ResidencyOptions& options, CircuitLoader load,
                                   ResidencyEvents events, telemetry::IdleLedger& ledger,
                                   telemetry::Metrics& metrics)
    : options_(options),
      load_(std::move(load)),
      events_(std::move(events)),
      ledger_(ledger),
      metrics_(metrics),
      thread_([this](std::stop_token stop) { run(stop); }) {}

CircuitResidency::~CircuitResidency() = default;

void CircuitResidency::offer(const wire::CircuitRef& circuit) {
  known_.insert_or_assign(circuit.id, circuit);
}

void CircuitResidency::offer_exactly(const std::vector<wire::CircuitRef>& circuits) {
  known_.clear();
  for (const auto& circuit : circuits) offer(circuit);
  for (auto it = resident_.begin(); it != resident_.end();) {
    const bool gone = !known_.contains(it->first);
    if (gone) metrics_.add("circuit_evictions_total", {{"reason", "requested"}});
    it = gone ? resident_.erase(it) : std::next(it);
  }
}

void CircuitResidency::evict(const CircuitId& id) {
  if (resident_.erase(id) > 0) metrics_.add("circuit_evictions_total", {{"reason", "requested"}});
}

void CircuitResidency::forget(const CircuitId& id) {
  evict(id);
  known_.erase(id);
}

std::shared_ptr<const LoadedCircuit> CircuitResidency::use(const CircuitId& id) {
  const auto it = resident_.find(id);
  if (it == resident_.end()) return nullptr;
  it->second.last_used = ++uses_;
  return it->second.circuit;
}

Status CircuitResidency::want(const CircuitId& id) {
  const auto known = known_.find(id);
  if (known == known_.end())
    return Error{.code = ErrorCode::circuit_unknown,
                 .what = "the circuit is not registered with this service",
                 .hint = "see penstock circuit list"};
  if (known->second.insecure_dev && !options_.allow_insecure_keys)
    return Error{.code = ErrorCode::insecure_key,
                 .what = "the circuit's key was made by setup --insecure-dev",
                 .hint = "start the service with --allow-insecure-keys, for development only"};
  if (resident_.contains(id) || loading_.contains(id)) return {};
  loading_.emplace(id, false);
  const std::lock_guard lock(mutex_);
  to_load_.push_back(known->second);
  arrived_.notify_one();
  return {};
}

void CircuitResidency::run(std::stop_token stop) {
  for (;;) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, stop, [this] { return !to_load_.empty(); });
    if (stop.stop_requested()) return;
    const wire::CircuitRef circuit = to_load_.front();
    to_load_.pop_front();
    lock.unlock();
    auto outcome = std::make_shared<Outcome>(Error{});
    std::optional<std::string> lost;
    {
      const telemetry::LedgerScope loading(ledger_, telemetry::IdleReason::circuit_load);
      try {
        *outcome = load_(circuit);
      } catch (const groth16::DeviceLost& why) {
        lost = why.what();
        *outcome = Error{.code = ErrorCode::device_unavailable, .what = *lost};
      } catch (const std::exception& defect) {
        *outcome = Error{.code = ErrorCode::internal, .what = defect.what()};
      }
    }
    // Together, so that who waits for the circuit hears the cause before the drain refuses everybody.
    events_.post([this, circuit, outcome, lost] {
      finished(circuit, std::move(*outcome));
      if (lost) events_.on_device_lost(*lost);
    });
    if (lost) return;
  }
}

void CircuitResidency::finished(const wire::CircuitRef& circuit, Outcome outcome) {
  const auto loading = loading_.find(circuit.id);
  if (loading == loading_.end()) return;
  const bool tried_before = std::exchange(loading->second, true);
  if (!outcome && outcome.error().code == ErrorCode::out_of_memory && !tried_before &&
      evict_one_idle(circuit.id, "memory")) {
    while (evict_one_idle(circuit.id, "memory")) continue;
    const std::lock_guard lock(mutex_);
    to_load_.push_back(circuit);
    arrived_.notify_one();
    return;
  }
  loading_.erase(loading);
  if (!outcome) {
    events_.on_failed(circuit.id, outcome.error());
    return;
  }
  metrics_.add("circuit_loads_total", {{"circuit", circuit.name}});
  const auto loaded = std::move(outcome).value();
  resident_.insert_or_assign(circuit.id, Resident{loaded, ++uses_});
  make_room(circuit.id);
  events_.on_loaded(loaded);
}

void CircuitResidency::make_room(const CircuitId& keep) {
  if (options_.budget_bytes == 0) return;
  while (resident_bytes() > options_.budget_bytes && evict_one_idle(keep, "budget")) continue;
}

bool CircuitResidency::evict_one_idle(const CircuitId& keep, std::string_view reason) {
  auto oldest = resident_.end();
  for (auto it = resident_.begin(); it != resident_.end(); ++it) {
    // Only this thread hands out references, so a count of one stays one while we look.
    const bool idle = it->second.circuit.use_count() == 1 && it->first != keep;
    if (idle && (oldest == resident_.end() || it->second.last_used < oldest->second.last_used)) oldest = it;
  }
  if (oldest == resident_.end()) return false;
  resident_.erase(oldest);
  metrics_.add("circuit_evictions_total", {{"reason", reason}});
  return true;
}

std::uint64_t CircuitResidency::resident_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [id, entry] : resident_) bytes += entry.circuit->resident->device_bytes();
  return bytes;
}

}  // namespace penstock::gpu
