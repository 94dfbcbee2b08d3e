// One lane's work for circuits of one curve: stream, workspace, events, and the three steps of a proof.
// Ownership: owns its device memory; the circuit and the staged bytes outlive finish().
// Threads: one at a time. Errors: named ones are returned, CudaError is thrown (the lane above translates
// it).
#pragma once

#include "common/circuit/packed_witness.hpp"
#include "common/groth16/host_prover.hpp"
#include "cuda/groth16/pipeline.hpp"
#include "cuda/witness/decode.hpp"

namespace penstock::cuda {

template <class C>
class LaneCore {
 public:
  explicit LaneCore(DeviceHeap& heap) : heap_(heap), verdict_(heap, 1), verdict_on_host_(1) {}
  ~LaneCore() = default;
  LaneCore(const LaneCore&) = delete;
  LaneCore& operator=(const LaneCore&) = delete;

  [[nodiscard]] Status stage(const DeviceCircuit<C>& circuit, const groth16::PartitionView& partition);
  void start();
  [[nodiscard]] Result<groth16::ProvedPartition> finish(const groth16::Blinding& blinding);

 private:
  [[nodiscard]] Status stage_packed(std::span<const std::byte> bytes);
  [[nodiscard]] Status read_packed_publics(std::span<const std::byte> bytes,
                                           const circuit::PackedShape& shape);
  [[nodiscard]] Status stage_raw(std::span<const std::byte> bytes);
  [[nodiscard]] Status stage_evaluated(std::span<const std::byte> bytes);
  void upload_witness(std::span<const std::byte> values);
  [[nodiscard]] Status verdict() const;

  DeviceHeap& heap_;
  Stream stream_;
  LaneWorkspace<C> workspace_;
  PhaseEvents events_;
  DeviceBuffer<std::uint32_t> verdict_;
  PinnedBuffer<std::uint32_t> verdict_on_host_;
  DeviceBuffer<std::byte> packed_;  ///< grows to the largest packed witness seen
  circuit::PublicSignals publics_;
  const DeviceCircuit<C>* circuit_ = nullptr;
  bool evaluated_ = false;
};

}  // namespace penstock::cuda
