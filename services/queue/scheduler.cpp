// The scheduler's jobs: admission, ends, cancellation, what the ledger has confirmed, what clients may see.
#include "services/queue/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace penstock::queue {

// ---- admission ----

Status Scheduler::reserve(std::uint32_t partitions) {
  if (partitions > options_.max_queued_partitions)
    return Error{.code = ErrorCode::body_too_large,
                 .what = fmt::format("a job of {} partitions is larger than the whole queue of {}",
                                     partitions, options_.max_queued_partitions),
                 .hint = "submit it as several jobs"};
  const std::size_t open = ready_.size() + retries_.size() + leased_.size() + reserved_;
  if (open + partitions > options_.max_queued_partitions)
    return Error{.code = ErrorCode::overloaded,
                 .what = fmt::format("{} partitions are waiting, the queue holds {}", open,
                                     options_.max_queued_partitions),
                 .hint = fmt::format("try again in about {} s", retry_after().count())};
  reserved_ += partitions;
  return {};
}

void Scheduler::unreserve(std::uint32_t partitions) {
  reserved_ -= std::min(partitions, reserved_);
}

void Scheduler::add(const JobRecord& record, const wire::CircuitRef& circuit, telemetry::Duration admit) {
  const auto [position, fresh] = jobs_.try_emplace(record.sequence);
  if (!fresh) return;
  Job& job = position->second;
  job.record = record;
  job.record.partitions.clear();
  job.circuit = circuit;
  sequences_[record.id] = record.sequence;
  if (record.deadline) deadlines_.emplace(*record.deadline, record.sequence);
  job.partitions.resize(record.partitions.size());
  for (std::size_t i = 0; i < job.partitions.size(); ++i) {
    Partition& partition = job.partitions[i];
    partition.record = record.partitions[i];
    if (is_finished(partition.record.state)) {
      partition.place = Place::ended;
      continue;
    }
    ++job.open;
    if (admit.count() > 0) partition.record.phases.add(Phase::admit, admit);
    const bool was_leased = partition.record.state != PartitionState::queued;
    partition.record.state = PartitionState::queued;
    if (was_leased && options_.recovery_grace.count() > 0)
      wait_for_retry(job, partition, options_.recovery_grace);
    else
      make_ready(job, partition);
  }
  effects_.jobs.push_back(record_of(job));
  end_job_when_closed(job);
}

// ---- ends ----

void Scheduler::end(Job& job, Partition& partition, PartitionEnd end) {
  leave_place(job, partition);
  partition.place = Place::ending;
  partition.result_at = clock_.steady_now();
  partition.end = std::move(end);
  ++ending_;
  --job.open;
  effects_.changes.push_back(PartitionEnded{.job = job.record.id,
                                            .index = partition.record.index,
                                            .end = partition.end,
                                            .phases = partition.record.phases});
  end_job_when_closed(job);
}

void Scheduler::end_job_when_closed(Job& job) {
  if (job.open > 0) return;
  std::vector<PartitionState> states;
  states.reserve(job.partitions.size());
  for (const Partition& partition : job.partitions)
    states.push_back(partition.place == Place::ending ? partition.end.state : partition.record.state);
  effects_.changes.push_back(JobEnded{
      .job = job.record.id, .state = finished_state(states), .finished = to_millis(clock_.wall_now())});
}

Status Scheduler::cancel(const JobId& id) {
  const auto found = sequences_.find(id);
  if (found == sequences_.end())
    return Error{.code = ErrorCode::not_found, .what = "no unfinished job has this id"};
  Job& job = jobs_.at(found->second);
  for (Partition& partition : job.partitions) {
    if (partition.place >= Place::ending) continue;
    cancel_lease(job, partition);
    end(job, partition,
        {.state = PartitionState::cancelled,
         .error = Error{.code = ErrorCode::cancelled, .what = "the client cancelled the job"}});
  }
  return {};
}

void Scheduler::fail(const JobId& id, const Error& error) {
  const auto found = sequences_.find(id);
  if (found == sequences_.end()) return;
  Job& job = jobs_.at(found->second);
  for (Partition& partition : job.partitions) {
    if (partition.place >= Place::ending) continue;
    cancel_lease(job, partition);
    end(job, partition, {.state = PartitionState::failed, .error = error});
  }
}

// ---- what the ledger holds ----

void Scheduler::committed(std::span<const Change> changes) {
  for (const Change& change : changes) {
    if (const auto* partition = std::get_if<PartitionEnded>(&change)) partition_committed(*partition);
    if (const auto* job = std::get_if<JobEnded>(&change)) job_committed(*job);
  }
}

void Scheduler::partition_committed(const PartitionEnded& change) {
  const Found found = find_partition(change.job, change.index);
  if (!found || found.partition->place != Place::ending) return;
  Partition& partition = *found.partition;
  partition.place = Place::ended;
  --ending_;
  partition.record.state = partition.end.state;
  partition.record.end = std::move(partition.end);
  partition.record.phases.add(Phase::reply, clock_.steady_now() - partition.result_at);
  if (partition.record.state == PartitionState::done)
    effects_.changes.push_back(
        PartitionMeasured{.job = change.job, .index = change.index, .phases = partition.record.phases});
  for (Notice& result : partition.results) effects_.acknowledgements.push_back(std::move(result));
  partition.results.clear();
  touch(*found.job, partition);
}

void Scheduler::job_committed(const JobEnded& change) {
  const auto found = sequences_.find(change.job);
  if (found == sequences_.end()) return;
  Job& job = jobs_.at(found->second);
  job.record.state = change.state;
  job.record.finished = change.finished;
  effects_.jobs.push_back(record_of(job));
  if (job.record.deadline) deadlines_.erase({*job.record.deadline, found->second});
  jobs_.erase(found->second);
  sequences_.erase(found);
}

// ---- what clients may see ----

JobRecord Scheduler::record_of(const Job& job) const {
  JobRecord record = job.record;
  record.partitions.reserve(job.partitions.size());
  for (const Partition& partition : job.partitions) record.partitions.push_back(partition.record);
  return record;
}

std::optional<JobRecord> Scheduler::find(const JobId& id) const {
  const auto found = sequences_.find(id);
  if (found == sequences_.end()) return std::nullopt;
  return record_of(jobs_.at(found->second));
}

std::uint32_t Scheduler::jobs_of(const CircuitId& circuit) const {
  return static_cast<std::uint32_t>(std::count_if(
      jobs_.begin(), jobs_.end(), [&](const auto& entry) { return entry.second.circuit.id == circuit; }));
}

void Scheduler::touch(const Job& job, const Partition& partition) {
  effects_.partitions.push_back({.job = job.record.id,
                                 .circuit = job.record.circuit,
                                 .curve = job.record.curve,
                                 .partition = partition.record});
}

bool Scheduler::idle() const {
  return leased_.empty() && ending_ == 0;
}

std::chrono::seconds Scheduler::retry_after() const {
  const double each =
      std::max(synthesis_meter_.seconds_each().value_or(0), gpu_meter_.seconds_each().value_or(0));
  const auto waiting = static_cast<double>(ready_.size() + retries_.size() + leased_.size());
  return std::chrono::seconds(std::llround(std::clamp(std::ceil(waiting * each), 1.0, 3600.0)));
}

SchedulerStatus Scheduler::status() const {
  SchedulerStatus status;
  const WallTime now = clock_.wall_now();
  for (const auto& [sequence, job] : jobs_) {
    SchedulerStatus::Depth& depth = status.by_priority[static_cast<std::size_t>(job.record.priority)];
    for (const Partition& partition : job.partitions) {
      if (partition.place == Place::ready) ++depth.queued;
      if (partition.place == Place::retry) ++depth.retry_wait;
      if (partition.place != Place::leased) continue;
      if (partition.record.state == PartitionState::synthesis) ++depth.synthesis;
      if (partition.record.state == PartitionState::staged) ++depth.staged;
      if (partition.record.state == PartitionState::proving) ++depth.proving;
    }
    if (job.open > 0)
      status.oldest_age_seconds =
          std::max(status.oldest_age_seconds, Seconds(now - job.record.created).count());
  }
  status.jobs = static_cast<std::uint32_t>(jobs_.size());
  status.reserved = reserved_;
  status.synthesis_backlog_seconds =
      static_cast<double>(ready_.size() + retries_.size()) * synthesis_meter_.seconds_each().value_or(0);
  status.gpu_backlog_seconds = static_cast<double>(staged_count_) * gpu_meter_.seconds_each().value_or(0);
  status.staged_per_second = synthesis_meter_.rate();
  status.proved_per_second = gpu_meter_.rate();
  return status;
}

}  // namespace penstock::queue
