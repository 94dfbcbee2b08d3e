#include "services/queue/dispatcher.hpp"

#include <spdlog/logger.h>

#include "common/base/sensitive.hpp"

namespace penstock::queue {

namespace {

/// The queue's own phases have no device; an empty label value would be no label to Prometheus.
constexpr std::string_view no_device = "none";

bool is_empty(const Effects& effects) {
  return effects.changes.empty() && effects.assignments.empty() && effects.cancellations.empty() &&
         effects.acknowledgements.empty() && effects.partitions.empty() && effects.jobs.empty() &&
         effects.lost.empty() && effects.retries.empty();
}

telemetry::PhaseTimes own_phases(const telemetry::PhaseTimes& all) {
  telemetry::PhaseTimes own;
  for (const Phase phase : {Phase::admit, Phase::queue_wait, Phase::retry_wait, Phase::reply})
    if (const auto spent = all.get(phase)) own.add(phase, *spent);
  return own;
}

}  // namespace

void expect_results(telemetry::Metrics& metrics, std::string_view circuit) {
  for (const JobState state : {JobState::done, JobState::failed, JobState::cancelled}) {
    metrics.add("jobs_total", {{"circuit", circuit}, {"result", name(state)}}, 0);
    metrics.add("partitions_total", {{"circuit", circuit}, {"result", name(state)}}, 0);
  }
}

void Dispatcher::pump() {
  for (;;) {
    parts_.scheduler.assign();
    Effects effects = parts_.scheduler.take();
    if (is_empty(effects)) return;
    if (!effects.changes.empty()) persist(std::move(effects.changes));
    for (const Notice& notice : effects.cancellations)
      static_cast<void>(parts_.sessions.send(notice.peer, wire::CancelPartition{notice.partition}));
    for (const Notice& notice : effects.acknowledgements)
      static_cast<void>(parts_.sessions.send(notice.peer, wire::ResultCommitted{notice.partition}));
    for (Assignment& assignment : effects.assignments) read_and_send(std::move(assignment));
    for (const PartitionTouched& touched : effects.partitions) partition_touched(touched);
    for (const JobRecord& job : effects.jobs) job_touched(job);
    for (const Retried& retried : effects.retries)
      parts_.metrics.add("retries_total", {{"reason", retried.reason}});
    for (const Peer& peer : effects.lost) parts_.log.warn("{} is lost: nothing was heard from it", peer);
  }
}

void Dispatcher::persist(std::vector<Change> changes) {
  auto kept = std::make_shared<const std::vector<Change>>(changes);
  parts_.writer.submit(std::move(changes), LedgerWriter::Insist::yes,
                       [this, kept](const Result<std::vector<Outcome>>& outcomes) {
                         if (!outcomes.ok()) {
                           parts_.log.error("the ledger refused: {}", to_string(outcomes.error()));
                           return;
                         }
                         parts_.loop.post([this, kept] {
                           parts_.scheduler.committed(*kept);
                           pump();
                         });
                       });
}

void Dispatcher::read_and_send(Assignment assignment) {
  const wire::PartitionRef ref = assignment.partition;
  const Status queued = parts_.reader.submit([this, assignment = std::move(assignment)] {
    auto input = parts_.blobs.read(assignment.partition.job, assignment.partition.index);
    auto shared = std::make_shared<Result<std::vector<std::byte>>>(std::move(input));
    parts_.loop.post([this, assignment, shared] {
      if (shared->ok())
        send_task(assignment, std::move(*shared).value());
      else
        parts_.scheduler.unsendable(assignment.partition, shared->error(), Scheduler::Retry::no);
      pump();
    });
  });
  if (!queued.ok()) parts_.scheduler.unsendable(ref, queued.error(), Scheduler::Retry::yes);
}

void Dispatcher::send_task(const Assignment& assignment, std::vector<std::byte> input) {
  wire::Message message = wire::SynthesisTask{.partition = assignment.partition,
                                              .circuit = assignment.circuit,
                                              .input_kind = assignment.input_kind,
                                              .input = std::move(input),
                                              .priority = assignment.priority,
                                              .deadline_in = assignment.deadline_in,
                                              .gpu = assignment.gpu};
  // Between the decision and now the job may have been cancelled or the worker lost.
  if (parts_.scheduler.is_current(assignment.partition)) {
    const Status sent = parts_.sessions.send(assignment.synthesis, message);
    const bool never_fits = !sent.ok() && sent.error().code == ErrorCode::body_too_large;
    if (!sent.ok())
      parts_.scheduler.unsendable(assignment.partition, sent.error(),
                                  never_fits ? Scheduler::Retry::no : Scheduler::Retry::yes);
  }
  wipe(std::get<wire::SynthesisTask>(message).input);
}

void Dispatcher::partition_touched(const PartitionTouched& touched) {
  parts_.subscriptions.publish(touched);
  const PartitionRecord& partition = touched.partition;
  if (!is_finished(partition.state)) return;
  parts_.metrics.add("partitions_total", {{"circuit", touched.circuit}, {"result", name(partition.state)}});
  parts_.metrics.observe_phases(own_phases(partition.phases), touched.curve, no_device);
  parts_.wiper.wipe(BlobStore::name_of(touched.job, partition.index));
  if (partition.end.error)
    parts_.log.info("job {} partition {} {}: {}", touched.job.text(), partition.index, name(partition.state),
                    to_string(*partition.end.error));
}

void Dispatcher::job_touched(const JobRecord& job) {
  parts_.subscriptions.publish(job);
  if (!is_finished(job.state)) return;
  const double seconds = job.finished ? Seconds(*job.finished - job.created).count() : 0;
  parts_.metrics.add("jobs_total", {{"circuit", job.circuit}, {"result", name(job.state)}});
  parts_.metrics.observe("job_duration_seconds", {{"circuit", job.circuit}}, seconds);
  parts_.log.info("job {} {} after {:.3f} s, {} partitions", job.id.text(), name(job.state), seconds,
                  job.partitions.size());
}

void Dispatcher::refresh_gauges() {
  const SchedulerStatus status = parts_.scheduler.status();
  telemetry::Metrics& metrics = parts_.metrics;
  for (std::size_t i = 0; i < status.by_priority.size(); ++i) {
    const auto set = [&](std::string_view stage, std::uint32_t depth) {
      metrics.set("queue_depth", {{"stage", stage}, {"priority", priority_names[i]}}, depth);
    };
    const SchedulerStatus::Depth& depth = status.by_priority[i];
    set("queued", depth.queued);
    set("retry_wait", depth.retry_wait);
    set("synthesis", depth.synthesis);
    set("staged", depth.staged);
    set("proving", depth.proving);
  }
  metrics.set("queue_oldest_age_seconds", {}, status.oldest_age_seconds);
  metrics.set("backlog_seconds", {{"stage", "synthesis"}}, status.synthesis_backlog_seconds);
  metrics.set("backlog_seconds", {{"stage", "gpu"}}, status.gpu_backlog_seconds);
  const WorkerPool& workers = parts_.scheduler.workers();
  for (const auto kind : {wire::WorkerKind::synthesis, wire::WorkerKind::gpu}) {
    const std::string_view label = kind == wire::WorkerKind::gpu ? "gpu" : "synthesis";
    const std::uint32_t draining = workers.count_draining(kind);
    metrics.set("workers", {{"kind", label}, {"state", "alive"}}, workers.count(kind) - draining);
    metrics.set("workers", {{"kind", label}, {"state", "draining"}}, draining);
    metrics.set("credits", {{"worker_kind", label}}, workers.credits_free(kind));
  }
}

}  // namespace penstock::queue
