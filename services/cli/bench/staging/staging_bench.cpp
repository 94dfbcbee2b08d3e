#include "services/cli/bench/staging/staging_bench.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "common/circuit/packed_witness.hpp"
#include "common/groth16/setup.hpp"
#include "cuda/groth16/activity_oracle.hpp"
#include "cuda/groth16/cuda_device.hpp"
#include "cuda/groth16/device_monitor.hpp"
#include "services/cli/bench/staging/host_region.hpp"
#include "services/cli/bench/staging/memory_load.hpp"
#include "services/gpu/device_choice.hpp"

namespace penstock::cli::bench {
namespace {

using circuit::Scalar;
using groth16::Encoding;
using groth16::PartitionKind;

/// So many different partitions take turns: no cache holds the next one.
constexpr std::size_t variants = 3;
constexpr int copy_threads = 4;

/// The partitions of one kind and encoding, each in plain memory and in pinned memory.
struct PartitionSet {
  std::vector<std::span<const std::byte>> pageable, pinned;
  HostRegion plain, locked;
};

std::size_t rounded_to_page(std::size_t bytes) {
  return (bytes + 4095) / 4096 * 4096;
}

void copy_in_parallel(std::span<const std::byte> from, std::span<std::byte> to) {
  const std::size_t piece = rounded_to_page(from.size() / copy_threads + 1);
  std::vector<std::jthread> threads;
  for (std::size_t begin = 0; begin < from.size(); begin += piece)
    threads.emplace_back(
        [=] { std::memcpy(to.data() + begin, from.data() + begin, std::min(piece, from.size() - begin)); });
}

}  // namespace

struct StagingBench::Impl {
  Impl(const StagingPlan& with, MostlyBits made) : plan(with), bits(std::move(made)) {}

  // Memory that the device has pinned outlives it: it is declared first.
  StagingPlan plan;
  MostlyBits bits;
  std::map<std::pair<PartitionKind, Encoding>, PartitionSet> sets;
  HostRegion slabs;  ///< one a lane, for staged copies
  std::size_t slab_bytes = 0;
  std::shared_ptr<const groth16::PreparedVerifier> verifier;
  groth16::OsBlindingSource blinding;
  std::unique_ptr<groth16::ProvingDevice> device;
  std::shared_ptr<const groth16::ResidentCircuit> circuit;
  std::vector<std::unique_ptr<groth16::ProvingLane>> lanes;

  [[nodiscard]] Status open() {
    device = PENSTOCK_TRY(gpu::open_device({.name = plan.device, .threads = plan.threads}));
    const auto r1cs = PENSTOCK_TRY(circuit::R1cs::open(bits.r1cs()));
    const auto multiplier =
        PENSTOCK_TRY(gpu::open_multiplier({.name = plan.device, .threads = plan.threads}));
    groth16::SetupOptions options;
    options.threads = plan.threads;
    options.multiplier = multiplier.get();
    const auto verification_key = PENSTOCK_TRY(groth16::setup_insecure_dev(*r1cs, bits.key(), options));
    verifier = PENSTOCK_TRY(groth16::prepare_verifier(verification_key));
    const auto key = PENSTOCK_TRY(circuit::ProvingKey::open(bits.key()));
    circuit = PENSTOCK_TRY(device->load_circuit(key));
    for (int i = 0; i < plan.most_lanes; ++i) lanes.push_back(PENSTOCK_TRY(device->open_lane()));
    slab_bytes = rounded_to_page((2 * bits.domain_size() + bits.wires()) * sizeof(Scalar));
    slabs = PENSTOCK_TRY(HostRegion::allocate(slab_bytes * static_cast<std::size_t>(plan.most_lanes)));
    return device->pin_memory(slabs.bytes());
  }

  [[nodiscard]] std::size_t bytes_at_most(PartitionKind kind, Encoding encoding) const {
    const std::size_t witness = bits.wires() * sizeof(Scalar);
    if (encoding == Encoding::packed) return circuit::packed_size_bound(bits.wires());
    return kind == PartitionKind::witness ? witness : witness + 2 * bits.domain_size() * sizeof(Scalar);
  }

  std::size_t write(PartitionKind kind, Encoding encoding, std::uint64_t variant, std::span<std::byte> to) {
    const std::vector<Scalar> witness = bits.witness(variant);
    const std::span<const Scalar> values(witness);
    if (encoding == Encoding::packed) return circuit::pack_witness({bits.curve(), values}, to);
    std::size_t at = 0;
    if (kind == PartitionKind::evaluated) {
      std::vector<Scalar> rows(2 * bits.domain_size());
      bits.evaluate(values, rows);
      at = rows.size() * sizeof(Scalar);
      std::memcpy(to.data(), rows.data(), at);
    }
    std::memcpy(to.data() + at, witness.data(), witness.size() * sizeof(Scalar));
    return at + witness.size() * sizeof(Scalar);
  }

  /// Made when first asked for.
  Result<const PartitionSet*> partitions(PartitionKind kind, Encoding encoding) {
    const auto known = sets.find({kind, encoding});
    if (known != sets.end()) return &known->second;
    const std::size_t each = rounded_to_page(bytes_at_most(kind, encoding));
    PartitionSet set;
    set.plain = PENSTOCK_TRY(HostRegion::allocate(each * variants));
    set.locked = PENSTOCK_TRY(HostRegion::allocate(each * variants));
    PENSTOCK_TRY(device->pin_memory(set.locked.bytes()));
    for (std::size_t i = 0; i < variants; ++i) {
      const auto plain = set.plain.bytes().subspan(i * each, each);
      const auto locked = set.locked.bytes().subspan(i * each, each);
      const std::size_t used = write(kind, encoding, i, plain);
      std::memcpy(locked.data(), plain.data(), used);
      set.pageable.push_back(plain.first(used));
      set.pinned.push_back(locked.first(used));
    }
    return &sets.emplace(std::pair{kind, encoding}, std::move(set)).first->second;
  }
};

namespace {

/// One run: its lanes' threads, its ledger, what they leave.
class Run {
 public:
  Run(const StagingSettings& settings, const PartitionSet& set, groth16::BlindingSource& blinding,
      const groth16::ResidentCircuit& circuit)
      : settings_(settings), set_(set), blinding_(blinding), circuit_(circuit) {}

  struct Proof {
    circuit::PublicSignals publics;
    circuit::AnyProof proof;
  };

  /// The lanes' first partitions: workspaces are made, the device's clocks rise.
  [[nodiscard]] Status warm_up(groth16::ProvingLane& lane, std::span<std::byte> slab) {
    PENSTOCK_TRY(prove(lane, slab, 0));
    return {};
  }

  void measure(std::span<const std::unique_ptr<groth16::ProvingLane>> lanes, std::span<std::byte> slabs,
               std::size_t slab_bytes) {
    const MemoryLoad load(settings_.load_threads);
    ledger_.emplace(clock_, [this](const telemetry::SettledPiece& piece) { account.push_back(piece); });
    const SteadyTime until =
        clock_.steady_now() + std::chrono::duration_cast<std::chrono::nanoseconds>(settings_.time);
    std::vector<std::jthread> threads;
    for (int i = 0; i < settings_.lanes; ++i)
      threads.emplace_back([&, i] {
        const auto slab = slabs.subspan(static_cast<std::size_t>(i) * slab_bytes, slab_bytes);
        drive(i, *lanes[static_cast<std::size_t>(i)], slab, until);
      });
  }

  std::vector<telemetry::SettledPiece> account;
  std::vector<LaneRecord> records;
  std::vector<telemetry::PhaseTimes> phases;
  std::vector<Proof> proofs;
  telemetry::IdleLedger::Totals totals;
  std::size_t counted = 0;
  Status status;

 private:
  void drive(int number, groth16::ProvingLane& lane, std::span<std::byte> slab, SteadyTime until) {
    while (clock_.steady_now() < until && !failed_) {
      const SteadyTime taken = clock_.steady_now();
      Result<groth16::ProvedPartition> proved = Error{};
      {
        telemetry::InHand in_hand(*ledger_);
        proved = prove(lane, slab, next_.fetch_add(1));
        in_hand.did(lane.timeline());
      }
      keep({number, {taken, clock_.steady_now()}, lane.timeline()}, std::move(proved));
    }
    stop();
  }

  void keep(LaneRecord record, Result<groth16::ProvedPartition> proved) {
    const std::lock_guard lock(mutex_);
    if (!proved) {
      status = std::move(proved).error();
      failed_ = true;
      return;
    }
    phases.push_back(proved->phases);
    proofs.push_back({proved->publics, proved->proof});
    records.push_back(std::move(record));
  }

  // The account ends where the first lane runs out of work: the others' last partitions have no company.
  void stop() {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    stopped_ = true;
    totals = ledger_->totals();
    counted = records.size();
  }

  Result<groth16::ProvedPartition> prove(groth16::ProvingLane& lane, std::span<std::byte> slab,
                                         std::size_t number) {
    const std::size_t variant = number % variants;
    std::span<const std::byte> bytes =
        settings_.memory == HostMemory::pinned ? set_.pinned[variant] : set_.pageable[variant];
    if (settings_.memory == HostMemory::staged) {
      copy_in_parallel(bytes, slab);
      bytes = slab.first(bytes.size());
    }
    PENSTOCK_TRY(lane.stage(circuit_, {settings_.partition, settings_.encoding, bytes}));
    PENSTOCK_TRY(lane.prove_start(blinding_.draw(circuit_.shape().curve)));
    return lane.prove_finish();
  }

  const StagingSettings& settings_;
  const PartitionSet& set_;
  groth16::BlindingSource& blinding_;
  const groth16::ResidentCircuit& circuit_;
  SystemClock clock_;
  std::optional<telemetry::IdleLedger> ledger_;
  std::mutex mutex_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  bool stopped_ = false;
};

Status verify_all(const groth16::PreparedVerifier& verifier, const std::vector<Run::Proof>& proofs,
                  int threads) {
  std::vector<groth16::PreparedVerifier::Item> items;
  for (const auto& one : proofs) items.push_back({&one.publics, &one.proof});
  return verifier.verify_batch(items, threads);
}

/// By the device's UUID.
Result<std::unique_ptr<telemetry::DeviceMonitor>> open_monitor(const std::string& device) {
  const int ordinal = PENSTOCK_TRY(gpu::cuda_ordinal(device));
  for (const auto& one : PENSTOCK_TRY(cuda::visible_devices()))
    if (one.ordinal == ordinal) return cuda::make_device_monitor(one.uuid);
  return Error{.code = ErrorCode::device_unavailable, .what = "there is no device " + device};
}

/// The share of the account's time in which some kernel ran.
double busy_ratio(std::vector<telemetry::Interval> kernels,
                  const std::vector<telemetry::SettledPiece>& account) {
  if (account.empty()) return 0;
  const SteadyTime begin = account.front().when.begin, end = account.back().when.end;
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  Seconds busy{0};
  SteadyTime seen = begin;
  for (const auto& kernel : kernels) {
    const SteadyTime from = std::max(seen, kernel.begin), to = std::min(end, kernel.end);
    if (from < to) busy += to - from;
    seen = std::max(seen, to);
  }
  return busy / Seconds(end - begin);
}

StagingResult result_of(const StagingSettings& settings, Run& run, std::uint64_t partition_bytes) {
  StagingResult result;
  result.settings = settings;
  result.time = run.totals;
  result.partitions = run.counted;
  result.partition_bytes = partition_bytes;
  double copy_seconds = 0;
  std::size_t copies = 0;
  for (const auto& record : run.records) {
    if (record.device.transfers.empty()) continue;
    const telemetry::Interval& to_device = record.device.transfers.front();  // the proof's way back follows
    copy_seconds += Seconds(to_device.end - to_device.begin).count();
    ++copies;
  }
  if (copy_seconds > 0)
    result.h2d_gbps = static_cast<double>(partition_bytes) * static_cast<double>(copies) / copy_seconds / 1e9;
  if (const double wall = run.totals.wall().count(); wall > 0)
    result.partitions_per_second = static_cast<double>(run.counted) / wall;
  result.phases = std::move(run.phases);
  result.account = std::move(run.account);
  result.lanes = std::move(run.records);
  return result;
}

}  // namespace

StagingBench::StagingBench(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

StagingBench::~StagingBench() {
  impl_->lanes.clear();
  impl_->circuit.reset();
  impl_->device.reset();
}

Result<std::unique_ptr<StagingBench>> StagingBench::prepare(const StagingPlan& plan) {
  auto impl = std::make_unique<Impl>(plan, PENSTOCK_TRY(MostlyBits::create(plan.curve, plan.log2)));
  PENSTOCK_TRY(impl->open());
  return std::unique_ptr<StagingBench>(new StagingBench(std::move(impl)));
}

const groth16::DeviceInfo& StagingBench::device() const {
  return impl_->device->info();
}

Result<StagingResult> StagingBench::run(const StagingSettings& settings) {
  const PartitionSet* set = PENSTOCK_TRY(impl_->partitions(settings.partition, settings.encoding));
  Run run(settings, *set, impl_->blinding, *impl_->circuit);
  for (int i = 0; i < settings.lanes; ++i)
    PENSTOCK_TRY(run.warm_up(
        *impl_->lanes[static_cast<std::size_t>(i)],
        impl_->slabs.bytes().subspan(static_cast<std::size_t>(i) * impl_->slab_bytes, impl_->slab_bytes)));
  std::unique_ptr<cuda::ActivityOracle> oracle;
  if (settings.oracle) oracle = PENSTOCK_TRY(cuda::start_activity_oracle());
  std::optional<DeviceWatch> watch;
  if (settings.watch) watch.emplace(PENSTOCK_TRY(open_monitor(device().name)));
  run.measure(impl_->lanes, impl_->slabs.bytes(), impl_->slab_bytes);
  std::optional<WatchSummary> watched;
  if (watch) watched = watch->finish();
  cuda::DeviceActivity activity;
  if (oracle) activity = PENSTOCK_TRY(oracle->stop());
  PENSTOCK_TRY(std::move(run.status));
  PENSTOCK_TRY(verify_all(*impl_->verifier, run.proofs, impl_->plan.threads));
  StagingResult result = result_of(settings, run, set->pageable.front().size());
  result.watch = watched;
  if (oracle) result.oracle_busy_ratio = busy_ratio(std::move(activity.kernels), result.account);
  return result;
}

}  // namespace penstock::cli::bench
