// The second half of Staging: what happens to a partition after it was committed, and what time does.
#include <algorithm>
#include <array>
#include <utility>

#include "services/gpu/staging.hpp"

namespace penstock::gpu {
namespace {

/// Staged by this worker, for its own use.
bool is_of(const PartitionEntry& entry, const wire::PeerId& peer) {
  return entry.request.result_to == wire::ResultTo::worker && entry.peer == peer;
}

}  // namespace

void Staging::circuit_loaded(const std::shared_ptr<const LoadedCircuit>& circuit) {
  std::vector<wire::PartitionRef> ready;
  for (auto& [key, entry] : table_.entries())
    if (entry.step == PartitionStep::waiting && entry.request.circuit == circuit->ref.id)
      ready.push_back(entry.request.partition);
  for (const auto& ref : ready) {
    auto* entry = table_.find(ref);
    entry->circuit = circuit;
    grant(*entry);
  }
}

void Staging::circuit_failed(const CircuitId& id, const Error& error) {
  for (auto it = table_.entries().begin(); it != table_.entries().end();) {
    const PartitionEntry& entry = it->second;
    const bool waits = entry.step == PartitionStep::waiting && entry.request.circuit == id;
    if (waits) refuse(entry.peer, entry.request.partition, error, error.code == ErrorCode::out_of_memory);
    it = waits ? table_.entries().erase(it) : std::next(it);
  }
}

void Staging::proving(const wire::PartitionRef& ref) {
  auto* entry = table_.find(ref);
  if (entry == nullptr) return;
  entry->step = PartitionStep::proving;
  slabs_.set_proving(entry->lease.lease);
  // A foreign worker waits for the end only.
  if (entry->request.result_to == wire::ResultTo::queue)
    parts_.to_queue(wire::PartitionProgress{ref, wire::PartitionStage::proving});
}

void Staging::finished(FinishedPartition finished) {
  const wire::PartitionRef ref = finished.partition->ref;
  auto* entry = table_.find(ref);
  if (entry == nullptr) return;
  slabs_.release(entry->lease.lease);
  if (entry->dropped) return table_.erase(ref);
  entry->circuit.reset();
  entry->step = PartitionStep::reported;
  if (finished.error)
    entry->result = wire::PartitionFailed{ref, *std::move(finished.error), finished.retryable,
                                          finished.partition->phases};
  else
    entry->result =
        wire::PartitionProved{ref, std::move(finished.proof_json), std::move(finished.public_json),
                              options_.device, finished.partition->phases};
  entry->finished_at = entry->result_sent_at = parts_.clock.steady_now();
  deliver(*entry, *entry->result);
}

void Staging::deliver(const PartitionEntry& entry, const wire::Message& message) {
  if (entry.request.result_to == wire::ResultTo::worker) return parts_.to_worker(entry.peer, message);
  parts_.to_queue(message);
}

void Staging::committed(const wire::PartitionRef& ref) {
  const auto* entry = table_.find(ref);
  if (entry == nullptr || entry->step != PartitionStep::reported) return;
  done_.remember(entry->lease.lease);
  table_.erase(ref);
}

void Staging::committed_by(const wire::PeerId& peer, const wire::PartitionRef& ref) {
  const auto* entry = table_.find(ref);
  if (entry != nullptr && is_of(*entry, peer)) committed(ref);
}

void Staging::cancel_by(const wire::PeerId& peer, const wire::PartitionRef& ref) {
  const auto* entry = table_.find(ref);
  if (entry != nullptr && is_of(*entry, peer)) cancel(ref);
}

void Staging::cancel(const wire::PartitionRef& ref) {
  auto* entry = table_.find(ref);
  if (entry == nullptr) return;
  // On a lane already: it is finished there, and its result thrown away.
  const bool on_a_lane = entry->step == PartitionStep::proving ||
                         (entry->step == PartitionStep::staged && parts_.lanes.take_back(ref) == nullptr);
  if (on_a_lane) {
    entry->dropped = true;
    return;
  }
  take_back(*entry);
  table_.erase(ref);
}

void Staging::expire() {
  const SteadyTime now = parts_.clock.steady_now();
  expire_leases();
  expire_waits(now);
  repeat_results(now);
}

void Staging::expire_leases() {
  for (const wire::SlabLease& lease : slabs_.expired()) {
    wipe(memory_of(lease));
    slabs_.release(lease.lease);
    if (auto* entry = table_.find_lease(lease.lease)) {
      close_window(*entry);
      const wire::PartitionRef ref = entry->request.partition;
      table_.erase(ref);
    }
  }
}

void Staging::expire_waits(SteadyTime now) {
  for (auto it = table_.entries().begin(); it != table_.entries().end();) {
    const PartitionEntry& entry = it->second;
    const bool too_long =
        entry.step == PartitionStep::waiting && now - entry.asked_at > options_.circuit_wait;
    if (too_long)
      refuse(entry.peer, entry.request.partition,
             {.code = ErrorCode::overloaded,
              .what = "the circuit is still being loaded",
              .hint = "preload it: penstock circuit preload"},
             true);
    it = too_long ? table_.entries().erase(it) : std::next(it);
  }
}

void Staging::repeat_results(SteadyTime now) {
  std::erase_if(table_.entries(), [&](const auto& held) {
    const PartitionEntry& entry = held.second;
    return entry.result && entry.request.result_to == wire::ResultTo::worker &&
           now - entry.finished_at >= options_.keep_result;
  });
  for (auto& [key, entry] : table_.entries()) {
    if (!entry.result || now - entry.result_sent_at < options_.repeat_result) continue;
    entry.result_sent_at = now;
    deliver(entry, *entry.result);
  }
}

void Staging::begin_drain() {
  draining_ = true;
  for (auto it = table_.entries().begin(); it != table_.entries().end();) {
    const PartitionEntry& entry = it->second;
    const bool waits = entry.step == PartitionStep::waiting;
    if (waits)
      refuse(entry.peer, entry.request.partition,
             {.code = ErrorCode::draining, .what = "the gpu service is draining"}, true);
    it = waits ? table_.entries().erase(it) : std::next(it);
  }
}

std::vector<wire::Message> Staging::unconfirmed() const {
  std::vector<wire::Message> results;
  for (const auto& [key, entry] : table_.entries())
    if (entry.result && entry.request.result_to == wire::ResultTo::queue) results.push_back(*entry.result);
  return results;
}

std::vector<wire::PartitionRef> Staging::in_flight() const {
  std::vector<wire::PartitionRef> refs;
  for (const auto& [key, entry] : table_.entries())
    if (entry.step >= PartitionStep::staged && !entry.dropped &&
        entry.request.result_to == wire::ResultTo::queue)
      refs.push_back(entry.request.partition);
  return refs;
}

std::size_t Staging::held() const {
  return static_cast<std::size_t>(
      std::count_if(table_.entries().begin(), table_.entries().end(),
                    [](const auto& held) { return held.second.step >= PartitionStep::staged; }));
}

std::string Staging::summary() const {
  constexpr std::array<const char*, 5> steps = {"waiting", "granted", "staged", "proving", "not confirmed"};
  std::array<int, steps.size()> counts{};
  for (const auto& [key, entry] : table_.entries()) ++counts[static_cast<std::size_t>(entry.step)];
  std::string text;
  for (std::size_t step = 0; step < steps.size(); ++step)
    if (counts[step] > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(counts[step]) + " " + steps[step];
  return text.empty() ? "nothing" : text;
}

bool Staging::idle() const {
  return table_.entries().empty();
}

}  // namespace penstock::gpu
