#include "cuda/groth16/cuda_device.hpp"

#include <list>
#include <optional>
#include <tuple>

#include "cuda/device/device_list.hpp"
#include "cuda/groth16/lane_core.hpp"
#include "cuda/groth16/proof_check.hpp"
#include "cuda/groth16/self_test.hpp"

namespace penstock::cuda {
namespace {

using algebra::Bls12_381;
using algebra::Bn254;

/// What lanes and circuits share and keep alive.
struct DeviceCore {
  DeviceCore(int device_ordinal, std::uint64_t budget_bytes) : ordinal(device_ordinal), heap(budget_bytes) {}
  int ordinal;
  DeviceHeap heap;
  DeviceClock clock;
  DeviceLease lease;
};

/// Runs CUDA work and sorts its failures: a lost device throws DeviceLost, the rest is an error of this call.
template <class Work>
auto guarded(const DeviceCore& core, Work work) -> decltype(work()) {
  try {
    use_device(core.ordinal);
    return work();
  } catch (const CudaError& failure) {
    if (failure.sticky()) throw groth16::DeviceLost(failure.what());
    return failure.to_error();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::out_of_memory, "not enough host memory for the device's staging"};
  }
}

/// A circuit together with the device it lives on; the device dies last.
template <class C>
struct OwnedCircuit {
  std::shared_ptr<DeviceCore> core;
  DeviceCircuit<C> circuit;
  ~OwnedCircuit() { use_device_quietly(core->ordinal); }
};

class CudaLane final : public groth16::ProvingLane {
 public:
  explicit CudaLane(std::shared_ptr<DeviceCore> core) : core_(std::move(core)) {}
  ~CudaLane() override { use_device_quietly(core_->ordinal); }

  Status stage(const groth16::ResidentCircuit& circuit, const groth16::PartitionView& partition) override {
    state_ = State::idle;
    curve_ = circuit.shape().curve;
    const Status staged = algebra::with_curve(curve_, [&](auto c) -> Status {
      using C = typename decltype(c)::type;
      const auto* resident = dynamic_cast<const DeviceCircuit<C>*>(&circuit);
      if (resident == nullptr) return Error{ErrorCode::internal, "the circuit was loaded on another device"};
      return guarded(*core_, [&]() -> Status { return lane<C>().stage(*resident, partition); });
    });
    if (staged.ok()) state_ = State::staged;
    return staged;
  }

  Status prove_start(const groth16::Blinding& blinding) override {
    if (state_ != State::staged) return Error{ErrorCode::internal, "prove_start without a staged partition"};
    state_ = State::idle;
    const Status started = algebra::with_curve(curve_, [&](auto c) -> Status {
      return guarded(*core_, [&]() -> Status {
        lane<typename decltype(c)::type>().start();
        return {};
      });
    });
    if (!started.ok()) return started;
    blinding_.r.reveal() = blinding.r.reveal();
    blinding_.s.reveal() = blinding.s.reveal();
    state_ = State::started;
    return {};
  }

  Result<groth16::ProvedPartition> prove_finish() override {
    using Proved = Result<groth16::ProvedPartition>;
    if (state_ != State::started) return Error{ErrorCode::internal, "prove_finish without a started proof"};
    state_ = State::idle;
    Proved proved = algebra::with_curve(curve_, [&](auto c) -> Proved {
      return guarded(*core_,
                     [&]() -> Proved { return lane<typename decltype(c)::type>().finish(blinding_); });
    });
    blinding_.r.clear();
    blinding_.s.clear();
    return proved;
  }

  const telemetry::LaneTimeline& timeline() const override {
    static const telemetry::LaneTimeline nothing;
    return algebra::with_curve(curve_, [&](auto c) -> const telemetry::LaneTimeline& {
      const auto& slot = std::get<std::optional<LaneCore<typename decltype(c)::type>>>(lanes_);
      return slot ? slot->timeline() : nothing;
    });
  }

 private:
  enum class State { idle, staged, started };
  template <class C>
  LaneCore<C>& lane() {
    auto& slot = std::get<std::optional<LaneCore<C>>>(lanes_);
    if (!slot) slot.emplace(core_->heap, core_->clock, core_->lease);
    return *slot;
  }

  std::shared_ptr<DeviceCore> core_;
  std::tuple<std::optional<LaneCore<Bn254>>, std::optional<LaneCore<Bls12_381>>> lanes_;
  CurveId curve_ = CurveId::bn254;
  State state_ = State::idle;
  groth16::Blinding blinding_;
};

class CudaDevice final : public groth16::ProvingDevice {
 public:
  CudaDevice(const DeviceFacts& facts, const CudaDeviceOptions& options)
      : core_(std::make_shared<DeviceCore>(
            facts.ordinal,
            static_cast<std::uint64_t>(static_cast<double>(free_memory_bytes()) * options.memory_fraction))),
        table_budget_(static_cast<std::uint64_t>(static_cast<double>(core_->heap.budget_bytes()) *
                                                 options.table_fraction)) {
    info_.name = "cuda:" + std::to_string(facts.ordinal);
    info_.description =
        facts.name + ", " + std::to_string(facts.multiprocessors) + " multiprocessors, " + facts.uuid;
    info_.memory_bytes = facts.memory_bytes;
  }

  const groth16::DeviceInfo& info() const override { return info_; }

  Result<std::shared_ptr<const groth16::ResidentCircuit>> load_circuit(
      std::shared_ptr<const circuit::ProvingKey> key) override {
    using Loaded = Result<std::shared_ptr<const groth16::ResidentCircuit>>;
    return algebra::with_curve(key->shape().curve, [&](auto c) -> Loaded {
      using C = typename decltype(c)::type;
      if (key->shape().domain_log2 >= C::two_adicity)
        return Error{ErrorCode::bad_domain,
                     "the device has no coset for a domain of the field's full two-adicity",
                     "use --device cpu for this key"};
      return guarded(*core_, [&]() -> Loaded {
        auto owned =
            std::make_shared<OwnedCircuit<C>>(core_, DeviceCircuit<C>(core_->heap, key, table_budget_));
        return std::shared_ptr<const groth16::ResidentCircuit>(owned, &owned->circuit);
      });
    });
  }

  Status pin_memory(std::span<std::byte> memory) override {
    return guarded(*core_, [&]() -> Status {
      pinned_.emplace_back(memory);
      return {};
    });
  }

  /// The device is refused when it computes wrongly or has no code for its architecture.
  Status test() {
    return guarded(*core_, [&] { return self_test(core_->heap); });
  }

  Result<std::unique_ptr<groth16::ProvingLane>> open_lane() override {
    return std::make_unique<CudaLane>(core_);
  }

 private:
  std::shared_ptr<DeviceCore> core_;
  std::uint64_t table_budget_;
  groth16::DeviceInfo info_;
  std::list<PinnedRegistration> pinned_;
};

}  // namespace

Result<std::vector<DeviceSummary>> visible_devices() {
  const std::vector<DeviceFacts> facts = PENSTOCK_TRY(list_devices());
  std::vector<DeviceSummary> devices;
  for (const DeviceFacts& device : facts)
    devices.push_back({device.ordinal, device.name, device.uuid, device.memory_bytes});
  return devices;
}

Result<std::unique_ptr<groth16::ProvingDevice>> make_cuda_device(const CudaDeviceOptions& options) {
  using Made = Result<std::unique_ptr<groth16::ProvingDevice>>;
  const std::vector<DeviceFacts> facts = PENSTOCK_TRY(list_devices());
  if (options.ordinal < 0 || static_cast<std::size_t>(options.ordinal) >= facts.size())
    return Error{ErrorCode::device_unavailable,
                 "there is no device cuda:" + std::to_string(options.ordinal) + ", only " +
                     std::to_string(facts.size()),
                 "nvidia-smi lists them; CUDA_VISIBLE_DEVICES may hide some"};
  try {
    use_device(options.ordinal);
    auto device = std::make_unique<CudaDevice>(facts[static_cast<std::size_t>(options.ordinal)], options);
    PENSTOCK_TRY(device->test());
    PENSTOCK_TRY(check_proofs(*device));
    return Made(std::move(device));
  } catch (const CudaError& failure) {
    return failure.to_error();
  } catch (const groth16::DeviceLost& lost) {
    return Error{ErrorCode::device_unavailable, lost.what(),
                 "see penstock doctor; --device cpu proves without a GPU"};
  }
}

}  // namespace penstock::cuda
