#include "common/groth16/host_device.hpp"

#include <unistd.h>

#include <fstream>
#include <mutex>
#include <new>
#include <optional>
#include <tuple>
#include <variant>

#include "common/groth16/core_places.hpp"
#include "common/groth16/host_prover.hpp"
#include "common/groth16/staged_partition.hpp"

namespace penstock::groth16 {
namespace {

using algebra::Bls12_381;
using algebra::Bn254;
using telemetry::PhaseScope;

/// What all lanes share. One proof runs at a time, on the whole team: two would only share the same cores and
/// caches.
struct HostCore {
  HostCore(int threads, Placement placement) : team(threads, placement) {}
  ThreadTeam team;
  std::mutex one_proof;
  std::tuple<std::optional<HostProver<Bn254>>, std::optional<HostProver<Bls12_381>>> provers;

  /// REQUIRES the lock.
  template <class C>
  HostProver<C>& prover() {
    auto& slot = std::get<std::optional<HostProver<C>>>(provers);
    if (!slot) slot.emplace(team);
    return *slot;
  }
};

Error out_of_memory(const char* during) {
  return {ErrorCode::out_of_memory, std::string("not enough memory to ") + during};
}

class HostLane final : public ProvingLane {
 public:
  explicit HostLane(std::shared_ptr<HostCore> core) : core_(std::move(core)) {}

  Status stage(const ResidentCircuit& circuit, const PartitionView& partition) override {
    circuit_ = nullptr;
    sums_ = std::monostate{};
    phases_ = {};
    timeline_.clear();
    try {
      const PhaseScope scope(phases_, Phase::decode);
      const SteadyTime begin = std::chrono::steady_clock::now();
      Status loaded = staged_.load(core_->team, circuit.shape(), partition);
      timeline_.transfers.push_back({begin, std::chrono::steady_clock::now()});
      PENSTOCK_TRY(std::move(loaded));
    } catch (const std::bad_alloc&) {
      return out_of_memory("stage the partition");
    }
    circuit_ = &circuit;
    return {};
  }

  Status prove_start(const Blinding& blinding) override {
    if (circuit_ == nullptr) return Error{ErrorCode::internal, "prove_start without a staged partition"};
    return algebra::with_curve(circuit_->shape().curve,
                               [&](auto c) -> Status { return start<typename decltype(c)::type>(blinding); });
  }

  Result<ProvedPartition> prove_finish() override {
    if (std::holds_alternative<std::monostate>(sums_))
      return Error{ErrorCode::internal, "prove_finish without a started proof"};
    return algebra::with_curve(circuit_->shape().curve, [&](auto c) -> Result<ProvedPartition> {
      return finish<typename decltype(c)::type>();
    });
  }

  const telemetry::LaneTimeline& timeline() const override { return timeline_; }

 private:
  template <class C>
  Status start(const Blinding& blinding) {
    const auto* circuit = dynamic_cast<const HostCircuit<C>*>(circuit_);
    if (circuit == nullptr) return Error{ErrorCode::internal, "the circuit was loaded on another device"};
    try {
      std::optional<PhaseScope> waiting(std::in_place, phases_, Phase::device_wait);
      const std::lock_guard lock(core_->one_proof);
      waiting.reset();
      const SteadyTime begin = std::chrono::steady_clock::now();
      sums_ = core_->prover<C>().prove(*circuit, staged_.view(), phases_);
      timeline_.segments.push_back({begin, std::chrono::steady_clock::now()});
    } catch (const std::bad_alloc&) {
      circuit_ = nullptr;
      return out_of_memory("prove the partition");
    }
    blinding_.r.reveal() = blinding.r.reveal();
    blinding_.s.reveal() = blinding.s.reveal();
    return {};
  }

  template <class C>
  ProvedPartition finish() {
    ProvedPartition proved;
    {
      const PhaseScope scope(phases_, Phase::finish);
      const auto& circuit = static_cast<const HostCircuit<C>&>(*circuit_);
      proved.proof = HostProver<C>::assemble(circuit.points(), std::get<ProofSums<C>>(sums_), blinding_);
      proved.publics = staged_.publics(circuit.shape());
    }
    proved.phases = phases_;
    blinding_.r.clear();
    blinding_.s.clear();
    circuit_ = nullptr;
    sums_ = std::monostate{};
    return proved;
  }

  std::shared_ptr<HostCore> core_;
  const ResidentCircuit* circuit_ = nullptr;
  StagedPartition staged_;
  Blinding blinding_;
  std::variant<std::monostate, ProofSums<Bn254>, ProofSums<Bls12_381>> sums_;
  telemetry::PhaseTimes phases_;
  telemetry::LaneTimeline timeline_;
};

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "processor";
}

class HostDevice final : public ProvingDevice {
 public:
  explicit HostDevice(const HostDeviceOptions& options)
      : core_(std::make_shared<HostCore>(options.threads,
                                         options.pinned ? Placement::pinned : Placement::free)),
        table_bytes_(options.table_bytes) {
    info_.name = "cpu";
    info_.description = processor_model() + ", " + std::to_string(core_->team.size()) + " threads" +
                        (core_->team.is_pinned() ? ", pinned"
                         : options.pinned        ? ", not pinned: fewer processors"
                                                 : "");
    info_.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }

  const DeviceInfo& info() const override { return info_; }

  Result<std::shared_ptr<const ResidentCircuit>> load_circuit(
      std::shared_ptr<const circuit::ProvingKey> key) override {
    try {
      return algebra::with_curve(key->shape().curve, [&](auto c) -> std::shared_ptr<const ResidentCircuit> {
        using C = typename decltype(c)::type;
        const auto roots = snarkjs_roots<C>(key->shape().domain_log2);
        return std::make_shared<const HostCircuit<C>>(core_->team, std::move(key), roots, table_bytes_);
      });
    } catch (const std::bad_alloc&) {
      return out_of_memory("load the circuit");
    }
  }

  Result<std::unique_ptr<ProvingLane>> open_lane() override { return std::make_unique<HostLane>(core_); }

 private:
  std::shared_ptr<HostCore> core_;
  std::uint64_t table_bytes_;
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<ProvingDevice> make_host_device(const HostDeviceOptions& options) {
  if (options.pinned) static_cast<void>(interleave_memory());  // slower memory, nothing worse
  return std::make_unique<HostDevice>(options);
}

}  // namespace penstock::groth16
