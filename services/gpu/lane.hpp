// One lane: a thread that takes staged partitions, proves them one after the other and hands each on. While
// it waits for one partition's transfer the other lanes keep the device busy.
// Ownership: owns its thread and its ProvingLane; borrows the rest, which must outlive it.
// Threads: LaneEvents are called on the lane's thread.
// Errors: a partition's error goes to failed(); DeviceLost goes to device_lost() once and the lane ends.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "common/groth16/proving_device.hpp"
#include "common/telemetry/idle_ledger.hpp"
#include "services/gpu/staged_queue.hpp"

namespace penstock::gpu {

class LaneEvents {
 public:
  virtual ~LaneEvents() = default;
  virtual void proving(StagedPartitionPtr partition) = 0;
  virtual void proved(StagedPartitionPtr partition, groth16::ProvedPartition proved) = 0;
  virtual void failed(StagedPartitionPtr partition, Error error) = 0;
  virtual void device_lost(StagedPartitionPtr partition, std::string what) = 0;
};

struct LaneParts {
  StagedQueue& queue;
  groth16::BlindingSource& blinding;
  telemetry::IdleLedger& ledger;
  const Clock& clock;
  LaneEvents& events;
};

class Lane {
 public:
  Lane(std::unique_ptr<groth16::ProvingLane> device_lane, LaneParts parts);
  /// Finishes the partition in hand, then joins.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

 private:
  void run(std::stop_token stop);
  void prove_one(const StagedPartitionPtr& partition);
  [[nodiscard]] Result<groth16::ProvedPartition> drive(StagedPartition& partition);

  std::unique_ptr<groth16::ProvingLane> device_lane_;
  LaneParts parts_;
  std::jthread thread_;
};

}  // namespace penstock::gpu
