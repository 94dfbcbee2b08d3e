#include "services/gpu/staging.hpp"

#include <utility>

namespace penstock::gpu {
namespace {

groth16::PartitionKind kind_of(wire::PartitionKind kind) {
  return kind == wire::PartitionKind::evaluated ? groth16::PartitionKind::evaluated
                                                : groth16::PartitionKind::witness;
}

groth16::Encoding encoding_of(wire::Encoding encoding) {
  return encoding == wire::Encoding::packed ? groth16::Encoding::packed : groth16::Encoding::raw;
}

Error draining_error() {
  return {.code = ErrorCode::draining,
          .what = "the gpu service is draining",
          .hint = "the queue routes the partition to another one"};
}

}  // namespace

Staging::Staging(StagingOptions options, StagingParts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      slabs_(parts_.arena.size(), parts_.clock),
      windows_(options_.chunks) {}

void Staging::request(const wire::PeerId& peer, const wire::StageRequest& request) {
  if (auto* known = table_.find(request.partition)) {
    if (known->request.result_to != request.result_to)
      return refuse(peer, request.partition,
                    {.code = ErrorCode::conflict, .what = "the partition is another's"}, false);
    known->peer = peer;
    repeat_answer(peer, *known);
    return;
  }
  if (draining_) return refuse(peer, request.partition, draining_error(), true);
  if (request.size_bytes == 0)
    return refuse(peer, request.partition,
                  {.code = ErrorCode::bad_request, .what = "a slab of no bytes was asked for"}, false);
  if (request.size_bytes > parts_.arena.size())
    return refuse(peer, request.partition,
                  {.code = ErrorCode::body_too_large,
                   .what = "the partition needs " + std::to_string(request.size_bytes) +
                           " bytes and the arena holds " + std::to_string(parts_.arena.size()),
                   .hint = "start penstock-gpu with a larger --arena-bytes"},
                  false);
  const Status wanted = parts_.circuits.want(request.circuit);
  if (!wanted) {
    // An offer may still be on its way; an insecure key stays insecure.
    const bool retryable = wanted.error().code == ErrorCode::circuit_unknown;
    return refuse(peer, request.partition, wanted.error(), retryable);
  }
  supersede(request);
  PartitionEntry asked;
  asked.request = request;
  asked.peer = peer;
  asked.asked_at = parts_.clock.steady_now();
  auto& entry = table_.insert(std::move(asked));
  entry.circuit = parts_.circuits.use(request.circuit);
  if (entry.circuit) grant(entry);
}

void Staging::repeat_answer(const wire::PeerId& peer, PartitionEntry& entry) {
  if (entry.step == PartitionStep::granted) return send_grant(entry);
  if (entry.step == PartitionStep::waiting) return;
  parts_.to_worker(peer, wire::StageAccepted{entry.request.partition, entry.lease.lease});
}

void Staging::refuse(const wire::PeerId& peer, const wire::PartitionRef& ref, Error error, bool retryable) {
  parts_.metrics.add("rejected_total", {{"reason", name(error.code)}});
  parts_.to_worker(peer, wire::StageRefused{ref, std::move(error), retryable});
}

void Staging::grant(PartitionEntry& entry) {
  const wire::PartitionRef ref = entry.request.partition;
  auto lease = slabs_.lease(entry.request.size_bytes, options_.lease_valid);
  if (!lease) {
    const bool retryable = lease.error().code == ErrorCode::overloaded;
    refuse(entry.peer, ref, lease.error(), retryable);
    table_.erase(ref);
    return;
  }
  if (!open_window(entry)) {
    slabs_.release(lease->lease);
    refuse(entry.peer, ref,
           {.code = ErrorCode::overloaded, .what = "too much is on its way here from remote workers"}, true);
    table_.erase(ref);
    return;
  }
  entry.phases.add(Phase::circuit_wait, parts_.clock.steady_now() - entry.asked_at);
  entry.lease = *lease;
  entry.step = PartitionStep::granted;
  send_grant(entry);
}

void Staging::send_grant(const PartitionEntry& entry) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(entry.lease.deadline - parts_.clock.steady_now());
  const bool remote = entry.request.remote;
  parts_.to_worker(entry.peer, wire::StageGrant{.partition = entry.request.partition,
                                                .lease = entry.lease.lease,
                                                .slab_token = entry.lease.token,
                                                .arena_path = remote ? std::string() : options_.arena_path,
                                                .offset = entry.lease.offset,
                                                .size_bytes = entry.lease.size_bytes,
                                                .valid_for = left,
                                                .chunk_bytes = remote ? windows_.chunk_bytes() : 0,
                                                .chunk_credits = entry.credits,
                                                .received_bytes = entry.received_bytes});
}

void Staging::commit(const wire::PeerId& peer, const wire::StageCommit& commit) {
  auto* entry = table_.find(commit.partition);
  if (entry == nullptr && done_.contains(commit.lease))
    return parts_.to_worker(peer, wire::StageAccepted{commit.partition, commit.lease});
  const bool holds = entry != nullptr && entry->lease.lease == commit.lease &&
                     entry->lease.token == commit.slab_token && entry->step != PartitionStep::waiting;
  if (!holds)
    return refuse(peer, commit.partition,
                  {.code = ErrorCode::conflict,
                   .what = "the slab's lease has ended and the slab may be another's",
                   .hint = "ask for a new slab"},
                  true);
  if (entry->step != PartitionStep::granted) return repeat_answer(peer, *entry);
  if (entry->request.remote && commit.used_bytes != entry->received_bytes) return send_credit(*entry, true);
  if (commit.used_bytes == 0 || commit.used_bytes > entry->request.size_bytes) {
    refuse(peer, commit.partition,
           {.code = ErrorCode::size_mismatch, .what = "more was committed than the slab holds"}, false);
    take_back(*entry);
    table_.erase(commit.partition);
    return;
  }
  auto lease = slabs_.commit(commit.lease, commit.slab_token);
  if (!lease) return refuse(peer, commit.partition, lease.error(), true);
  entry->lease = *lease;
  close_window(*entry);
  stage(*entry, commit);
  parts_.to_worker(peer, wire::StageAccepted{commit.partition, commit.lease});
}

void Staging::stage(PartitionEntry& entry, const wire::StageCommit& commit) {
  auto partition = std::make_shared<StagedPartition>();
  partition->ref = entry.request.partition;
  partition->priority = entry.request.priority;
  partition->circuit = entry.circuit;
  partition->slab = memory_of(entry.lease);
  partition->view = {kind_of(entry.request.kind), encoding_of(entry.request.encoding),
                     partition->slab.first(commit.used_bytes)};
  partition->checksum = commit.digest;
  partition->phases = commit.phases;
  partition->phases.add(entry.phases);
  partition->staged_at = parts_.clock.steady_now();
  entry.step = PartitionStep::staged;
  parts_.lanes.push(std::move(partition));
}

void Staging::abandon(const wire::StageAbandon& abandon) {
  auto* entry = table_.find(abandon.partition);
  if (entry == nullptr) return;
  if (entry->step == PartitionStep::granted && entry->lease.lease != abandon.lease) return;
  if (entry->step != PartitionStep::granted && entry->step != PartitionStep::waiting) return;
  take_back(*entry);
  table_.erase(abandon.partition);
}

// A newer attempt takes the place of what an older one has not begun to prove.
void Staging::supersede(const wire::StageRequest& newer) {
  for (const wire::PartitionRef& other : table_.siblings(newer.partition))
    if (other.token < newer.partition.token && table_.find(other)->request.result_to == newer.result_to)
      cancel(other);
}

void Staging::take_back(PartitionEntry& entry) {
  if (entry.step != PartitionStep::granted && entry.step != PartitionStep::staged) return;
  close_window(entry);
  wipe(memory_of(entry.lease));
  slabs_.release(entry.lease.lease);
}

std::span<std::byte> Staging::memory_of(const wire::SlabLease& lease) const {
  return parts_.arena.subspan(lease.offset, lease.size_bytes);
}

}  // namespace penstock::gpu
