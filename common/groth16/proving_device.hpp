// The one interface that hides the device: HostDevice lives beside it, CudaDevice in cuda/.
// Life of a partition: load_circuit once; then on one lane stage -> prove_start -> prove_finish. Two lanes
// overlap. Ownership: a ResidentCircuit stays on the device while anyone holds it; lanes and circuits die
// before their device. Threads: a device may be called from any thread, a lane from one thread at a time.
// Errors: named (out_of_memory, device_unavailable, size_mismatch, not_canonical, ...). After an error the
// lane is
//   idle again and usable. A lost device throws DeviceLost.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "common/base/result.hpp"
#include "common/circuit/proof.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/groth16/blinding.hpp"
#include "common/telemetry/idle_ledger.hpp"
#include "common/telemetry/phase_times.hpp"

namespace penstock::groth16 {

enum class PartitionKind : std::uint8_t {
  witness,    ///< the witness alone; A*w and B*w are computed on the device
  evaluated,  ///< a, b (c is a*b) on the domain, the extra public rows included, then the witness
};
enum class Encoding : std::uint8_t {
  raw,     ///< 32-byte plain little-endian scalars
  packed,  ///< circuit/packed_witness.hpp (witness partitions only)
};

/// Staged bytes, in memory that outlives the partition (a slab, a vector). Hostile: checked by stage().
struct PartitionView {
  PartitionKind kind = PartitionKind::witness;
  Encoding encoding = Encoding::raw;
  std::span<const std::byte> bytes;
};

struct DeviceInfo {
  std::string name;         ///< "cpu" or "cuda:N": the `device` label
  std::string description;  ///< model, cores
  std::uint64_t memory_bytes = 0;
};

class ResidentCircuit {
 public:
  virtual ~ResidentCircuit() = default;
  [[nodiscard]] virtual const circuit::KeyShape& shape() const = 0;
  [[nodiscard]] virtual std::uint64_t device_bytes() const = 0;
  /// The key it was loaded from, when the device keeps it: lets a failed self-check be explained on the host.
  [[nodiscard]] virtual std::shared_ptr<const circuit::ProvingKey> key() const { return nullptr; }
};

struct ProvedPartition {
  circuit::AnyProof proof;  ///< not yet verified
  circuit::PublicSignals publics;
  telemetry::PhaseTimes phases;  ///< h2d .. finish
};

class ProvingLane {
 public:
  virtual ~ProvingLane() = default;
  /// Copies and decodes (phases h2d, decode). `circuit` and the bytes must outlive prove_finish().
  [[nodiscard]] virtual Status stage(const ResidentCircuit& circuit, const PartitionView& partition) = 0;
  /// Starts the proof (spmv, ntt, digits, msm_*). REQUIRES a staged partition.
  [[nodiscard]] virtual Status prove_start(const Blinding& blinding) = 0;
  /// Waits for the device and assembles the proof (d2h, finish). REQUIRES a started proof.
  [[nodiscard]] virtual Result<ProvedPartition> prove_finish() = 0;
  /// What the device did for the last partition, also when it failed: complete once prove_finish() has
  /// returned, kept until the next stage(). For the idle ledger.
  [[nodiscard]] virtual const telemetry::LaneTimeline& timeline() const = 0;
};

class ProvingDevice {
 public:
  virtual ~ProvingDevice() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  /// REQUIRES a key whose points were checked. Blocks; may take seconds for a large key.
  [[nodiscard]] virtual Result<std::shared_ptr<const ResidentCircuit>> load_circuit(
      std::shared_ptr<const circuit::ProvingKey> key) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<ProvingLane>> open_lane() = 0;
  /// Registers host memory (the arena) once, so that copies from it run at full speed; it outlives the
  /// device. The host device has nothing to do.
  [[nodiscard]] virtual Status pin_memory([[maybe_unused]] std::span<std::byte> memory) { return {}; }
};

class DeviceLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace penstock::groth16
