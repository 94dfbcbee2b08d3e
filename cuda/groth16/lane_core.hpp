// One lane's work for circuits of one curve: streams, workspace, events, and the three steps of a proof.
// Ownership: owns its device memory; the circuit and the staged bytes outlive finish().
// Threads: one at a time. Errors: named ones are returned, CudaError is thrown (the lane above translates
// it).
#pragma once

#include "common/circuit/packed_witness.hpp"
#include "common/groth16/host_prover.hpp"
#include "cuda/device/device_lease.hpp"
#include "cuda/groth16/pipeline.hpp"
#include "cuda/witness/decode.hpp"

namespace penstock::cuda {

template <class C>
class LaneCore {
 public:
  LaneCore(DeviceHeap& heap, DeviceClock& clock, DeviceLease& lease, const LaneLimits& limits = {})
      : heap_(heap),
        clock_(clock),
        lease_(lease),
        workspace_(limits),
        findings_(heap, 1),
        findings_on_host_(1) {}
  ~LaneCore() = default;
  LaneCore(const LaneCore&) = delete;
  LaneCore& operator=(const LaneCore&) = delete;

  [[nodiscard]] Status stage(const DeviceCircuit<C>& circuit, const groth16::PartitionView& partition);
  void start();
  [[nodiscard]] Result<groth16::ProvedPartition> finish(const groth16::Blinding& blinding);
  [[nodiscard]] const telemetry::LaneTimeline& timeline() const { return timeline_; }

 private:
  [[nodiscard]] Status stage_packed(std::span<const std::byte> bytes);
  [[nodiscard]] Status read_packed_publics(std::span<const std::byte> bytes,
                                           const circuit::PackedShape& shape);
  [[nodiscard]] Status stage_raw(std::span<const std::byte> bytes);
  [[nodiscard]] Status stage_evaluated(std::span<const std::byte> bytes);
  void upload_witness(std::span<const std::byte> values);
  [[nodiscard]] Status verdict() const;
  [[nodiscard]] std::uint32_t* verdict_on_device() const { return &findings_.data()->verdict; }

  DeviceHeap& heap_;
  DeviceClock& clock_;
  DeviceLease& lease_;
  LaneStreams streams_;
  LaneWorkspace<C> workspace_;
  PhaseEvents events_;
  telemetry::LaneTimeline timeline_;
  DeviceBuffer<Findings> findings_;
  PinnedBuffer<Findings> findings_on_host_;
  DeviceBuffer<std::byte> packed_;  ///< grows to the largest packed witness seen
  circuit::PublicSignals publics_;
  const DeviceCircuit<C>* circuit_ = nullptr;
  bool evaluated_ = false;
};

}  // namespace penstock::cuda
