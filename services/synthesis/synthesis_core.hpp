// What penstock-synthesis does with the queue's messages: takes tasks while it has credits, hands them to a
// bounded pool of workers, reports each once, repeats what the queue has not acknowledged, drains. Ownership:
// owns the pool; borrows the runner. Threads: all functions on the loop's thread; tasks run on the pool's.
// The pool is joined on destruction, after what runs has been told to stop.
// Errors: a task that cannot be taken is answered with PartitionFailed (overloaded, draining; retryable).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <tuple>
#include <vector>

#include "common/runtime/worker_loop.hpp"
#include "common/wire/messages.hpp"
#include "services/synthesis/task_runner.hpp"

namespace penstock::synthesis {

struct CoreOutbox {
  std::function<Status(const wire::Message&)> to_queue;
  std::function<void(std::function<void()>)> post;  ///< runs on the loop's thread; from any thread
};

/// One partition that has left this worker, for metrics and the log.
struct FinishedTask {
  wire::PartitionRef partition;
  wire::CircuitRef circuit;
  telemetry::PhaseTimes phases;
  std::optional<Error> error;
};

struct CoreHandlers {
  std::function<void(const FinishedTask&)> finished;
  /// A circuit may be needed soon: Welcome and CircuitOffer.
  std::function<void(const wire::CircuitRef&)> offered;
  std::function<void(const CircuitId&)> withdrawn;
};

class SynthesisCore {
 public:
  SynthesisCore(std::uint32_t credits, const TaskRunner& runner, CoreOutbox outbox, CoreHandlers handlers);
  ~SynthesisCore();
  SynthesisCore(const SynthesisCore&) = delete;
  SynthesisCore& operator=(const SynthesisCore&) = delete;

  void from_queue(wire::Message message);
  void begin_drain() { draining_ = true; }
  [[nodiscard]] bool draining() const { return draining_; }
  /// Nothing is in work and nothing unreported.
  [[nodiscard]] bool drained() const { return draining_ && running_.empty() && unsent_.empty(); }
  [[nodiscard]] std::vector<wire::PartitionRef> in_flight() const;
  /// What Hello and heartbeats say: none while draining.
  [[nodiscard]] std::uint32_t credits() const { return draining_ ? 0 : credits_; }
  [[nodiscard]] std::uint32_t credits_free() const;

 private:
  using Key = std::tuple<JobId, std::uint32_t>;  ///< one attempt at a time
  struct Running {
    wire::PartitionRef partition;
    wire::CircuitRef circuit;
    std::stop_source stop;
  };
  struct Work {
    wire::SynthesisTask task;
    std::stop_token stop;
  };
  [[nodiscard]] static Key key_of(const wire::PartitionRef& partition) {
    return {partition.job, partition.index};
  }
  void take(wire::SynthesisTask task);
  void refuse(const wire::SynthesisTask& task, Error error);
  void cancel(const wire::PartitionRef& partition);
  void work(Work work);
  void finished(const wire::PartitionRef& partition, TaskOutcome outcome,
                const telemetry::PhaseTimes& phases);
  void report(wire::Message message);
  void report_failed(wire::PartitionFailed failed);
  void resend();

  const std::uint32_t credits_;
  const TaskRunner& runner_;
  CoreOutbox outbox_;
  CoreHandlers handlers_;
  bool draining_ = false;
  std::multimap<Key, Running> running_;
  std::vector<wire::Message> unsent_;                             ///< the link was down
  std::map<FencingToken, wire::PartitionFailed> unacknowledged_;  ///< until ResultCommitted
  runtime::BoundedQueue<Work> queue_;
  std::vector<std::unique_ptr<runtime::WorkerLoop<Work>>> workers_;  // last: they use the rest
};

}  // namespace penstock::synthesis
