#include "services/gpu/finisher.hpp"

#include <exception>

#include "common/base/checksum.hpp"
#include "common/circuit/proof_json.hpp"

namespace penstock::gpu {
namespace {

Status verify(StagedPartition& partition, const groth16::ProvedPartition& proved) {
  const telemetry::PhaseScope scope(partition.phases, Phase::verify);
  return partition.circuit->verifier->verify(proved.publics, proved.proof);
}

FinishedPartition good(StagedPartitionPtr partition, const groth16::ProvedPartition& proved) {
  FinishedPartition finished;
  {
    const telemetry::PhaseScope scope(partition->phases, Phase::result);
    finished.proof_json = circuit::to_json(proved.proof);
    finished.public_json = circuit::to_json(proved.publics);
  }
  finished.partition = std::move(partition);
  return finished;
}

FinishedPartition bad(StagedPartitionPtr partition, Error error, bool retryable) {
  FinishedPartition finished;
  finished.partition = std::move(partition);
  finished.error = std::move(error);
  finished.retryable = retryable;
  return finished;
}

}  // namespace

Finisher::Finisher(const Options& options, SecondOpinion& second_opinion, Done done)
    : second_opinion_(second_opinion), done_(std::move(done)) {
  for (int i = 0; i < options.threads; ++i)
    threads_.emplace_back([this](std::stop_token stop) { run(stop); });
}

Finisher::~Finisher() {
  for (auto& thread : threads_) thread.request_stop();
  threads_.clear();
}

void Finisher::finish(StagedPartitionPtr partition, groth16::ProvedPartition proved) {
  enqueue({std::move(partition), std::move(proved)});
}

void Finisher::fail(StagedPartitionPtr partition, Error error, bool retryable) {
  enqueue({std::move(partition), Failure{std::move(error), retryable}});
}

void Finisher::enqueue(Work work) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  arrived_.notify_one();
}

void Finisher::run(std::stop_token stop) {
  for (;;) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, stop, [this] { return !waiting_.empty(); });
    if (waiting_.empty()) return;
    Work work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    FinishedPartition finished = settle(std::move(work));
    wipe(finished.partition->slab);
    done_(std::move(finished));
  }
}

// A worker that stalled beyond its lease may wake and write into a slab that is another's by now. Whoever
// writes last leaves its bytes there, so what the device read before was right if the bytes are right now.
bool Finisher::is_as_committed(const StagedPartition& partition) {
  return partition.checksum == 0 || checksum_of(partition.view.bytes) == partition.checksum;
}

// Last of all: then everything that was read from the slab before was right.
FinishedPartition Finisher::settle(Work work) {
  const StagedPartitionPtr partition = work.partition;
  FinishedPartition finished = outcome_of(std::move(work));
  if (is_as_committed(*partition)) return finished;
  return bad(partition,
             {.code = ErrorCode::conflict,
              .what = "another worker wrote into the slab after its lease had ended",
              .hint = "the partition is synthesized again; raise gpu.lease_valid if this repeats"},
             true);
}

FinishedPartition Finisher::outcome_of(Work work) {
  if (auto* failure = std::get_if<Failure>(&work.outcome))
    return bad(std::move(work.partition), std::move(failure->error), failure->retryable);
  const StagedPartitionPtr partition = work.partition;
  try {
    return judge(std::move(work.partition), std::move(std::get<groth16::ProvedPartition>(work.outcome)));
  } catch (const std::exception& defect) {
    return bad(partition, {.code = ErrorCode::internal, .what = defect.what()}, true);
  }
}

FinishedPartition Finisher::judge(StagedPartitionPtr partition, groth16::ProvedPartition proved) {
  if (verify(*partition, proved).ok()) return good(std::move(partition), proved);
  return ask_the_host(std::move(partition));
}

FinishedPartition Finisher::ask_the_host(StagedPartitionPtr partition) {
  auto again = second_opinion_.prove_again(*partition->circuit, partition->view);
  if (!again) return bad(std::move(partition), std::move(again).error(), true);
  if (!verify(*partition, *again).ok()) {
    Error why = second_opinion_.explain(*partition->circuit, partition->view);
    return bad(std::move(partition), std::move(why), false);
  }
  FinishedPartition finished = good(std::move(partition), *again);
  finished.device_erred = true;
  return finished;
}

}  // namespace penstock::gpu
