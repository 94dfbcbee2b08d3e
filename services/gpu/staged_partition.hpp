// A partition whose bytes lie in a slab, on its way through a lane and the finisher.
// Ownership: the circuit is held until the partition is finished; the slab belongs to Staging and outlives
// this. Threads: one owner at a time (queue, lane, finisher).
#pragma once

#include <memory>
#include <span>

#include "common/groth16/proving_device.hpp"
#include "common/wire/messages.hpp"
#include "services/gpu/loaded_circuit.hpp"

namespace penstock::gpu {

struct StagedPartition {
  wire::PartitionRef ref;
  wire::Priority priority = wire::Priority::normal;
  std::shared_ptr<const LoadedCircuit> circuit;
  groth16::PartitionView view;   ///< the bytes that the worker committed
  std::span<std::byte> slab;     ///< the whole slab, wiped by the finisher
  std::uint64_t checksum = 0;    ///< of the bytes as their worker made them; 0: it gave none
  telemetry::PhaseTimes phases;  ///< of synthesis, then of each step here
  SteadyTime staged_at{};
};
using StagedPartitionPtr = std::shared_ptr<StagedPartition>;

}  // namespace penstock::gpu
