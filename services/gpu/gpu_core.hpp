// The gpu service without its sockets: staging, residency, lanes and the finisher wired together. A message
// comes in on the loop's thread, messages go out through the outbox, tests drive it with a fake device.
// Ownership: owns lanes, finisher and loader thread; borrows device, arena memory, metrics and clock, which
// must outlive it. Threads: everything is called on the loop's thread; other threads reach it through post.
// Errors: a device that was lost, or that erred quarantine_after times, drains the service: fault() says why.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "common/telemetry/idle_ledger.hpp"
#include "common/telemetry/metrics.hpp"
#include "services/gpu/circuit_residency.hpp"
#include "services/gpu/finisher.hpp"
#include "services/gpu/lane.hpp"
#include "services/gpu/staging.hpp"

namespace penstock::gpu {

struct CoreOptions {
  int lanes = 2;
  int finishers = 1;
  int quarantine_after = 3;  ///< wrong proofs by the device until it is no longer used
  ResidencyOptions residency;
  StagingOptions staging;
};

struct CoreParts {
  groth16::ProvingDevice& device;
  SecondOpinion& second_opinion;
  groth16::BlindingSource& blinding;
  CircuitLoader load;
  telemetry::Metrics& metrics;
  const Clock& clock;
  std::span<std::byte> arena;
  std::function<void(const FinishedPartition&)> observed = {};  ///< on the loop's thread; may be empty
};

/// Where the core's effects go.
struct Outbox {
  std::function<void(const wire::PeerId&, wire::Message)> to_worker;
  std::function<void(wire::Message)> to_queue;
  std::function<void(std::function<void()>)> post;  ///< runs it on the loop's thread; thread-safe
};

class GpuCore final : private LaneEvents {
 public:
  /// Opens the lanes. Errors: the device's.
  [[nodiscard]] static Result<std::unique_ptr<GpuCore>> create(const CoreOptions& options, CoreParts parts,
                                                               Outbox outbox);
  /// REQUIRES: nothing posted by this object runs any more. Waits for the partitions in hand.
  ~GpuCore() override;

  void from_worker(const wire::PeerId& peer, const wire::Message& message);
  void chunk_from_worker(const wire::PeerId& peer, const wire::StageChunk& chunk,
                         std::span<const std::byte> bytes) {
    staging_->chunk(peer, chunk, bytes);
  }
  void from_queue(const wire::Message& message);
  /// Timers and gauges; a few times a second.
  void tick();
  void begin_drain();
  [[nodiscard]] bool drained() const { return staging_->idle() || fault_settled(); }

  [[nodiscard]] Staging& staging() { return *staging_; }
  [[nodiscard]] bool loading_circuit() const { return circuits_->loading(); }
  /// The device answers, but its proofs were wrong: a restart would only use it again.
  [[nodiscard]] bool quarantined() const { return device_errors_ >= options_.quarantine_after; }
  /// Thread-safe. Why the device may not be used any more.
  [[nodiscard]] std::optional<Error> fault() const;
  /// For a scrape: credits busy and idle up to now. Threads: any.
  void refresh_ledger();

 private:
  GpuCore(const CoreOptions& options, CoreParts parts, Outbox outbox);
  [[nodiscard]] Status open_lanes();
  void proving(StagedPartitionPtr partition) override;
  void proved(StagedPartitionPtr partition, groth16::ProvedPartition proved) override;
  void failed(StagedPartitionPtr partition, Error error) override;
  void device_lost(StagedPartitionPtr partition, std::string what) override;
  void lose_device(const std::string& what);
  void settle(FinishedPartition finished);
  void count(const FinishedPartition& finished);
  void set_fault(Error error);
  [[nodiscard]] bool fault_settled() const;

  CoreOptions options_;
  CoreParts parts_;
  Outbox outbox_;
  telemetry::IdleLedger ledger_;
  StagedQueue queue_;
  std::unique_ptr<CircuitResidency> circuits_;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<Finisher> finisher_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::atomic<int> finishing_ = 0;
  int device_errors_ = 0;
  mutable std::mutex fault_mutex_;
  std::optional<Error> fault_;
  std::mutex ledger_mutex_;
  telemetry::IdleLedger::Totals reported_;
};

}  // namespace penstock::gpu
