// The founding experiment: a backlog of partitions in pageable, staged or pinned host memory, proved by one
// or more lanes while other threads keep the host's memory busy. What the device did comes from the idle
// ledger; every proof is verified after the clock has stopped. Shape: prepared once for a circuit and device,
// then run for each setting. Ownership: owns circuit, device and host memory. Threads: one caller; a run has
// its own. Errors: the device's, out_of_memory, proof_invalid (the device computed wrongly).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/groth16/proving_device.hpp"
#include "common/groth16/verify.hpp"
#include "common/telemetry/idle_ledger.hpp"
#include "services/cli/bench/staging/device_watch.hpp"
#include "services/cli/bench/staging/mostly_bits.hpp"

namespace penstock::cli::bench {

enum class HostMemory : std::uint8_t {
  pageable,  ///< plain memory: the driver copies it through its own small pinned buffers
  staged,    ///< plain memory, copied by four threads into the lane's pinned slab before it is sent
  pinned,    ///< written straight into pinned slabs, as synthesis workers do
};
inline constexpr std::array<std::string_view, 3> host_memory_names = {"pageable", "staged", "pinned"};

struct StagingSettings {
  groth16::PartitionKind partition = groth16::PartitionKind::evaluated;
  groth16::Encoding encoding = groth16::Encoding::raw;
  HostMemory memory = HostMemory::pinned;
  int lanes = 2;
  int load_threads = 0;  ///< run memcpy beside the lanes
  std::chrono::duration<double> time{5};
  bool oracle = false;  ///< CUPTI watches too: is the ledger right?
  bool watch = false;   ///< the driver is asked ten times a second, as the gpu service does
};

/// One partition on one lane, for the picture.
struct LaneRecord {
  int lane = 0;
  telemetry::Interval in_hand;
  telemetry::LaneTimeline device;
};

struct StagingResult {
  StagingSettings settings;
  telemetry::IdleLedger::Totals time;
  std::size_t partitions = 0;  ///< ended within the settled time
  std::uint64_t partition_bytes = 0;
  double h2d_gbps = 0;  ///< while copying
  std::optional<double> oracle_busy_ratio;
  std::optional<WatchSummary> watch;
  double partitions_per_second = 0;
  std::vector<telemetry::PhaseTimes> phases;  ///< one a partition
  std::vector<telemetry::SettledPiece> account;
  std::vector<LaneRecord> lanes;
};

struct StagingPlan {
  CurveId curve = CurveId::bls12_381;
  int log2 = 14;
  std::string device = "auto";
  int threads = 0;     ///< of the host device and of the key's making
  int most_lanes = 2;  ///< pinned memory is set aside for so many
};

class StagingBench {
 public:
  /// Makes the circuit, a development key and the partitions; loads the circuit.
  [[nodiscard]] static Result<std::unique_ptr<StagingBench>> prepare(const StagingPlan& plan);
  ~StagingBench();

  [[nodiscard]] const groth16::DeviceInfo& device() const;
  /// REQUIRES settings.lanes <= plan.most_lanes; a packed evaluated partition is refused by the device.
  [[nodiscard]] Result<StagingResult> run(const StagingSettings& settings);

 private:
  struct Impl;
  explicit StagingBench(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::cli::bench
