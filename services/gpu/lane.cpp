#include "services/gpu/lane.hpp"

#include <exception>
#include <new>

namespace penstock::gpu {

Lane::Lane(std::unique_ptr<groth16::ProvingLane> device_lane, LaneParts parts)
    : device_lane_(std::move(device_lane)),
      parts_(parts),
      thread_([this](std::stop_token stop) { run(stop); }) {}

Lane::~Lane() = default;

void Lane::run(std::stop_token stop) {
  while (auto partition = parts_.queue.pop(stop)) {
    try {
      prove_one(partition);
    } catch (const groth16::DeviceLost& lost) {
      parts_.events.device_lost(std::move(partition), lost.what());
      return;
    } catch (const std::bad_alloc&) {
      parts_.events.failed(std::move(partition),
                           {.code = ErrorCode::out_of_memory, .what = "the host has no memory left"});
    } catch (const std::exception& defect) {
      parts_.events.failed(std::move(partition), {.code = ErrorCode::internal, .what = defect.what()});
    }
  }
}

void Lane::prove_one(const StagedPartitionPtr& partition) {
  partition->phases.add(Phase::lane_wait, parts_.clock.steady_now() - partition->staged_at);
  parts_.events.proving(partition);
  telemetry::InHand in_hand(parts_.ledger);
  auto outcome = drive(*partition);
  in_hand.did(device_lane_->timeline());
  if (!outcome) {
    parts_.events.failed(partition, std::move(outcome).error());
    return;
  }
  partition->phases.add(outcome->phases);
  parts_.events.proved(partition, std::move(outcome).value());
}

Result<groth16::ProvedPartition> Lane::drive(StagedPartition& partition) {
  PENSTOCK_TRY(device_lane_->stage(*partition.circuit->resident, partition.view));
  const groth16::Blinding blinding = parts_.blinding.draw(partition.circuit->ref.curve);
  PENSTOCK_TRY(device_lane_->prove_start(blinding));
  return device_lane_->prove_finish();
}

}  // namespace penstock::gpu
