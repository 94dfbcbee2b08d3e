// The slabs' life: request -> grant -> commit -> lane -> finished -> committed by the queue. Grants only what
// the arena holds, expires what workers leave behind, wipes what it takes back, answers every repetition the
// way it answered first.
// Ownership: borrows the arena's memory and the circuits. Threads: one (the message loop).
// Errors: sent to the worker as StageRefused: overloaded (retryable: no slab now), body_too_large, draining,
// circuit_unknown, insecure_key, conflict (a lease that is no longer the worker's), the loader's.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/wire/arena.hpp"
#include "services/gpu/chunk_windows.hpp"
#include "services/gpu/circuit_residency.hpp"
#include "services/gpu/finisher.hpp"
#include "services/gpu/partition_table.hpp"
#include "services/gpu/staged_queue.hpp"

namespace penstock::gpu {

struct StagingOptions {
  std::string arena_path;
  std::chrono::milliseconds lease_valid{30'000};
  std::chrono::milliseconds circuit_wait{60'000};  ///< the longest a request waits for its circuit
  /// A result that its receiver has not committed is sent again after this: a full socket may have dropped
  /// it.
  std::chrono::milliseconds repeat_result{5'000};
  /// A worker that has not fetched its own result by then gets none: the queue is kept waiting for ever, a
  /// worker may be gone.
  std::chrono::milliseconds keep_result{60'000};
  std::string device;  ///< the label in results
  ChunkOptions chunks = {};
};

struct StagingParts {
  std::span<std::byte> arena;
  CircuitResidency& circuits;
  StagedQueue& lanes;
  const Clock& clock;
  telemetry::Metrics& metrics;
  std::function<void(const wire::PeerId&, wire::Message)> to_worker;
  std::function<void(wire::Message)> to_queue;
};

class Staging {
 public:
  Staging(StagingOptions options, StagingParts parts);

  void request(const wire::PeerId& peer, const wire::StageRequest& request);
  void commit(const wire::PeerId& peer, const wire::StageCommit& commit);
  void abandon(const wire::StageAbandon& abandon);
  /// A remote worker's piece: checked, copied into the slab, answered with a credit.
  void chunk(const wire::PeerId& peer, const wire::StageChunk& chunk, std::span<const std::byte> bytes);

  void circuit_loaded(const std::shared_ptr<const LoadedCircuit>& circuit);
  void circuit_failed(const CircuitId& id, const Error& error);

  void proving(const wire::PartitionRef& ref);
  void finished(FinishedPartition finished);
  void committed(const wire::PartitionRef& ref);
  void cancel(const wire::PartitionRef& ref);
  /// The same by the worker that staged it and asked for its result; of other partitions nothing happens.
  void committed_by(const wire::PeerId& peer, const wire::PartitionRef& ref);
  void cancel_by(const wire::PeerId& peer, const wire::PartitionRef& ref);

  /// Expires leases and bounded waits, repeats results. Called a few times a second.
  void expire();
  /// No new grants from now on; what is granted may still be committed.
  void begin_drain();
  /// Results that the queue has not committed, to be sent again after a reconnection.
  [[nodiscard]] std::vector<wire::Message> unconfirmed() const;
  /// What the queue gave and is not dropped.
  [[nodiscard]] std::vector<wire::PartitionRef> in_flight() const;
  /// Staged or later, whoever gave it.
  [[nodiscard]] std::size_t held() const;
  /// Nothing granted, staged, proving or unconfirmed.
  [[nodiscard]] bool idle() const;
  /// "1 granted, 2 staged, 1 proving, 3 not confirmed", for the log.
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] wire::SlabAllocator::Usage slabs() const { return slabs_.usage(); }

 private:
  void refuse(const wire::PeerId& peer, const wire::PartitionRef& ref, Error error, bool retryable);
  void deliver(const PartitionEntry& entry, const wire::Message& message);
  void repeat_answer(const wire::PeerId& peer, PartitionEntry& entry);
  void grant(PartitionEntry& entry);
  void send_grant(const PartitionEntry& entry);
  void stage(PartitionEntry& entry, const wire::StageCommit& commit);
  void supersede(const wire::StageRequest& newer);
  void take_back(PartitionEntry& entry);
  void send_credit(const PartitionEntry& entry, bool rewind);
  [[nodiscard]] bool open_window(PartitionEntry& entry);
  void close_window(PartitionEntry& entry);
  [[nodiscard]] static std::string worker_of(const PartitionEntry& entry);
  void expire_leases();
  void expire_waits(SteadyTime now);
  void repeat_results(SteadyTime now);
  [[nodiscard]] std::span<std::byte> memory_of(const wire::SlabLease& lease) const;

  StagingOptions options_;
  StagingParts parts_;
  wire::SlabAllocator slabs_;
  ChunkWindows windows_;
  PartitionTable table_;
  RecentLeases done_;
  bool draining_ = false;
};

}  // namespace penstock::gpu
