// The scheduler's leases: where a partition stands, who gets it, what ends an attempt.
#include <fmt/format.h>

#include <algorithm>

#include "services/queue/scheduler.hpp"

namespace penstock::queue {

// ---- finding ----

Scheduler::Key Scheduler::key_of(const Job& job, const Partition& partition) {
  const auto urgency =
      static_cast<std::uint8_t>(wire::Priority::critical) - static_cast<std::uint8_t>(job.record.priority);
  return {.urgency = static_cast<std::uint8_t>(urgency),
          .sequence = job.record.sequence,
          .index = partition.record.index};
}

Scheduler::Found Scheduler::find_partition(const JobId& id, std::uint32_t index) {
  const auto found = sequences_.find(id);
  if (found == sequences_.end()) return {};
  Job& job = jobs_.at(found->second);
  if (index >= job.partitions.size()) return {};
  return {.job = &job, .partition = &job.partitions[index]};
}

Scheduler::Found Scheduler::find_lease(const wire::PartitionRef& ref) {
  const Found found = find_partition(ref.job, ref.index);
  if (!found || found.partition->place != Place::leased || found.partition->lease.token != ref.token)
    return {};
  return found;
}

Scheduler::Found Scheduler::at(const Key& key) {
  Job& job = jobs_.at(key.sequence);
  return {.job = &job, .partition = &job.partitions[key.index]};
}

bool Scheduler::is_current(const wire::PartitionRef& ref) const {
  const auto found = sequences_.find(ref.job);
  if (found == sequences_.end()) return false;
  const Job& job = jobs_.at(found->second);
  if (ref.index >= job.partitions.size()) return false;
  const Partition& partition = job.partitions[ref.index];
  return partition.place == Place::leased && partition.lease.token == ref.token;
}

wire::PartitionRef Scheduler::ref_of(const Job& job, const Partition& partition) const {
  return {.job = job.record.id,
          .index = partition.record.index,
          .attempt = partition.record.attempts,
          .token = partition.lease.token};
}

// ---- places ----

void Scheduler::make_ready(Job& job, Partition& partition) {
  partition.place = Place::ready;
  partition.waiting_since = clock_.steady_now();
  ready_.insert(key_of(job, partition));
}

void Scheduler::wait_for_retry(Job& job, Partition& partition, std::chrono::milliseconds delay) {
  partition.place = Place::retry;
  partition.waiting_since = clock_.steady_now();
  partition.retry_at = partition.waiting_since + delay;
  retries_.emplace(partition.retry_at, key_of(job, partition));
}

void Scheduler::leave_place(Job& job, Partition& partition) {
  const Key key = key_of(job, partition);
  const telemetry::Duration waited = clock_.steady_now() - partition.waiting_since;
  switch (partition.place) {
    case Place::ready:
      ready_.erase(key);
      partition.record.phases.add(Phase::queue_wait, waited);
      break;
    case Place::retry:
      retries_.erase({partition.retry_at, key});
      partition.record.phases.add(Phase::retry_wait, waited);
      break;
    case Place::leased:
      leased_.erase(key);
      if (partition.record.state != PartitionState::synthesis) --staged_count_;
      update_meters();
      break;
    case Place::ending:
    case Place::ended:
      break;
  }
}

void Scheduler::set_state(Job& job, Partition& partition, PartitionState state) {
  if (partition.record.state == state) return;
  partition.record.state = state;
  touch(job, partition);
}

void Scheduler::update_meters() {
  const SteadyTime now = clock_.steady_now();
  synthesis_meter_.update(now, leased_.size() - staged_count_);
  gpu_meter_.update(now, staged_count_);
}

// ---- giving ----

void Scheduler::assign() {
  if (draining_) return;
  std::set<CircuitId> unplaceable;  // nobody takes these now: do not ask again for each of their partitions
  for (auto next = ready_.begin(); next != ready_.end();) {
    if (pool_.credits_free(wire::WorkerKind::synthesis) == 0) return;
    const Found found = at(*next++);  // lease() erases the current element only
    if (unplaceable.contains(found.job->circuit.id)) continue;
    if (const auto pair = pool_.choose(found.job->circuit))
      lease(*found.job, *found.partition, *pair);
    else
      unplaceable.insert(found.job->circuit.id);
  }
}

void Scheduler::lease(Job& job, Partition& partition, const Pair& pair) {
  leave_place(job, partition);
  const SteadyTime now = clock_.steady_now();
  partition.place = Place::leased;
  partition.lease = {.token = FencingToken{(options_.epoch << 32) + ++last_token_},
                     .synthesis = pair.synthesis,
                     .gpu = pair.gpu,
                     .confirmed = now};
  ++partition.record.attempts;
  leased_.insert(key_of(job, partition));
  pool_.hold(pair.synthesis, partition.lease.token, now);
  pool_.hold(pair.gpu, partition.lease.token, now);
  update_meters();
  effects_.changes.push_back(PartitionLeased{
      .job = job.record.id, .index = partition.record.index, .attempts = partition.record.attempts});
  const wire::Hello& gpu = pool_.get(pair.gpu)->hello;
  Assignment assignment{.partition = ref_of(job, partition),
                        .circuit = job.circuit,
                        .input_kind = partition.record.input_kind,
                        .priority = job.record.priority,
                        .deadline_in = {},
                        .synthesis = pair.synthesis,
                        .gpu = {.name = gpu.name,
                                .incarnation = gpu.incarnation,
                                .data_endpoints = gpu.data_endpoints,
                                .host_id = gpu.host_id,
                                .curve_key = gpu.curve_key}};
  if (job.record.deadline) assignment.deadline_in = *job.record.deadline - to_millis(clock_.wall_now());
  effects_.assignments.push_back(std::move(assignment));
  set_state(job, partition, PartitionState::synthesis);
  if (job.record.state == JobState::queued) {
    job.record.state = JobState::running;
    effects_.jobs.push_back(record_of(job));
  }
}

// ---- the end of an attempt ----

void Scheduler::requeue(Job& job, Partition& partition, const std::string& reason) {
  leave_place(job, partition);
  const std::uint32_t troubles = partition.record.failures + partition.record.losses;
  const auto doubled =
      options_.first_backoff * (std::uint64_t{1} << std::clamp<std::uint32_t>(troubles, 1, 20)) / 2;
  wait_for_retry(job, partition, std::min<std::chrono::milliseconds>(doubled, options_.longest_backoff));
  effects_.changes.push_back(PartitionRequeued{.job = job.record.id,
                                               .index = partition.record.index,
                                               .failures = partition.record.failures,
                                               .losses = partition.record.losses,
                                               .phases = partition.record.phases});
  effects_.retries.push_back({reason});
  set_state(job, partition, PartitionState::queued);
}

void Scheduler::retry_or_fail(Job& job, Partition& partition, const Error& error, Retry retry) {
  // Back-pressure and departures are not the partition's fault: they never use its attempts up. Neither is a
  // cancellation of the current lease: ours leave no current lease, so somebody else stopped the worker.
  const bool pressed = error.code == ErrorCode::overloaded || error.code == ErrorCode::draining;
  if (error.code == ErrorCode::cancelled || (pressed && retry == Retry::yes))
    return requeue(job, partition, std::string(name(error.code)));
  ++partition.record.failures;
  if (retry == Retry::yes && partition.record.failures < options_.max_attempts)
    requeue(job, partition, std::string(name(error.code)));
  else
    end(job, partition, {.state = PartitionState::failed, .error = error});
}

void Scheduler::lose(Job& job, Partition& partition, const std::string& reason) {
  cancel_lease(job, partition);
  ++partition.record.losses;
  if (partition.record.losses < options_.max_losses) return requeue(job, partition, reason);
  end(job, partition,
      {.state = PartitionState::failed,
       .error = Error{.code = ErrorCode::device_unavailable,
                      .what = fmt::format("its workers vanished {} times", partition.record.losses),
                      .hint = "look into the workers' logs: this input may be what kills them"}});
}

void Scheduler::cancel_lease(const Job& job, const Partition& partition) {
  if (partition.place != Place::leased) return;
  for (const Peer& peer : {partition.lease.synthesis, partition.lease.gpu}) {
    const auto worker = pool_.all().find(peer);
    if (worker != pool_.all().end() && worker->second.holds.contains(partition.lease.token))
      effects_.cancellations.push_back({.peer = peer, .partition = ref_of(job, partition)});
  }
}

}  // namespace penstock::queue
