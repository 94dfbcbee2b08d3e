#include "services/synthesis/synthesis_core.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace penstock::synthesis {
namespace {

constexpr std::size_t most_unsent = 4096;

Error defect_error() {
  return {.code = ErrorCode::internal, .what = "the synthesis worker met a defect"};
}

}  // namespace

SynthesisCore::SynthesisCore(std::uint32_t credits, const TaskRunner& runner, CoreOutbox outbox,
                             CoreHandlers handlers)
    : credits_(credits),
      runner_(runner),
      outbox_(std::move(outbox)),
      handlers_(std::move(handlers)),
      queue_(credits) {
  for (std::uint32_t i = 0; i < credits; ++i)
    workers_.push_back(std::make_unique<runtime::WorkerLoop<Work>>(
        "witness-" + std::to_string(i), queue_,
        [this](Work work, const std::stop_token&) { this->work(std::move(work)); },
        // work() catches what its task throws; nothing is left for this handler.
        [](const std::exception_ptr&) {}));
}

SynthesisCore::~SynthesisCore() {
  for (auto& [key, running] : running_) running.stop.request_stop();
  queue_.close();
  workers_.clear();
}

void SynthesisCore::from_queue(wire::Message message) {
  if (auto* task = std::get_if<wire::SynthesisTask>(&message)) return take(std::move(*task));
  if (const auto* one = std::get_if<wire::CancelPartition>(&message)) return cancel(one->partition);
  if (const auto* one = std::get_if<wire::ResultCommitted>(&message)) {
    unacknowledged_.erase(one->partition.token);
    return;
  }
  if (const auto* one = std::get_if<wire::CircuitOffer>(&message)) return handlers_.offered(one->circuit);
  if (const auto* one = std::get_if<wire::CircuitWithdrawn>(&message)) {
    if (one->remove) handlers_.withdrawn(one->circuit);
    return;
  }
  if (const auto* welcome = std::get_if<wire::Welcome>(&message)) {
    for (const wire::CircuitRef& circuit : welcome->circuits) handlers_.offered(circuit);
    resend();
  }
}

void SynthesisCore::take(wire::SynthesisTask task) {
  const auto [first, last] = running_.equal_range(key_of(task.partition));
  for (auto at = first; at != last; ++at) {
    if (at->second.partition.token == task.partition.token) return;  // delivered twice
    // The queue has given up the older attempt: whatever it would find, this one finds too.
    if (at->second.partition.token < task.partition.token) at->second.stop.request_stop();
  }
  if (draining_)
    return refuse(task, {.code = ErrorCode::draining, .what = "the synthesis worker is draining"});
  Running running{task.partition, task.circuit, {}};
  const wire::PartitionRef partition = task.partition;
  Work work{std::move(task), running.stop.get_token()};
  if (const auto pushed = queue_.try_push(std::move(work)); !pushed.ok())
    return refuse(work.task,
                  {.code = ErrorCode::overloaded, .what = "the synthesis worker has no credit left"});
  running_.emplace(key_of(partition), std::move(running));
}

void SynthesisCore::refuse(const wire::SynthesisTask& task, Error error) {
  report_failed({task.partition, std::move(error), true, {}});
}

void SynthesisCore::cancel(const wire::PartitionRef& partition) {
  const auto [first, last] = running_.equal_range(key_of(partition));
  for (auto at = first; at != last; ++at)
    if (at->second.partition.token == partition.token) at->second.stop.request_stop();
}

void SynthesisCore::work(Work work) {
  const wire::PartitionRef partition = work.task.partition;
  const auto progress = [this, partition](wire::PartitionStage stage) {
    outbox_.post([this, partition, stage] {
      static_cast<void>(outbox_.to_queue(wire::PartitionProgress{partition, stage}));
    });
  };
  telemetry::PhaseTimes phases;
  TaskOutcome outcome = wire::PartitionFailed{partition, defect_error(), true, {}};
  try {
    progress(wire::PartitionStage::synthesis);
    outcome = runner_.run(std::move(work.task), work.stop, progress, phases);
  } catch (const std::exception& defect) {
    // Caught once, here: the partition fails by name and the worker lives on.
    std::get<wire::PartitionFailed>(outcome).error.hint = defect.what();
  }
  outbox_.post(
      [this, partition, outcome = std::move(outcome), phases] { finished(partition, outcome, phases); });
}

void SynthesisCore::finished(const wire::PartitionRef& partition, TaskOutcome outcome,
                             const telemetry::PhaseTimes& phases) {
  const auto [first, last] = running_.equal_range(key_of(partition));
  const auto at = std::find_if(
      first, last, [&](const auto& entry) { return entry.second.partition.token == partition.token; });
  if (at == last) return;
  FinishedTask done{partition, at->second.circuit, phases, std::nullopt};
  running_.erase(at);
  if (auto* failed = std::get_if<wire::PartitionFailed>(&outcome)) {
    done.error = failed->error;
    report_failed(std::move(*failed));
  } else {
    report(std::get<wire::PartitionStaged>(std::move(outcome)));
  }
  handlers_.finished(done);
}

void SynthesisCore::report(wire::Message message) {
  if (outbox_.to_queue(message).ok()) return;
  // Beyond the bound the oldest goes: the queue learns of it by the end of its lease.
  if (unsent_.size() >= most_unsent) unsent_.erase(unsent_.begin());
  unsent_.push_back(std::move(message));
}

void SynthesisCore::report_failed(wire::PartitionFailed failed) {
  if (unacknowledged_.size() >= most_unsent) unacknowledged_.erase(unacknowledged_.begin());
  static_cast<void>(outbox_.to_queue(failed));
  unacknowledged_.insert_or_assign(failed.partition.token, std::move(failed));
}

void SynthesisCore::resend() {
  for (const auto& [token, failed] : unacknowledged_) static_cast<void>(outbox_.to_queue(failed));
  for (wire::Message& message : std::exchange(unsent_, {})) report(std::move(message));
}

std::vector<wire::PartitionRef> SynthesisCore::in_flight() const {
  std::vector<wire::PartitionRef> all;
  for (const auto& [key, running] : running_) all.push_back(running.partition);
  return all;
}

std::uint32_t SynthesisCore::credits_free() const {
  const auto used = static_cast<std::uint32_t>(running_.size());
  return draining_ || used >= credits_ ? 0 : credits_ - used;
}

}  // namespace penstock::synthesis
