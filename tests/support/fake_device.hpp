// A ProvingDevice for tests: no field arithmetic, every proof made at once or held at a gate, faults on
// demand. Shape: a "proof" names its publics: {value of the partition's first byte}. FakeVerifier accepts a
// proof whose publics are even, so that a partition's bytes decide whether its witness "satisfies" the
// circuit. Threads: any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "common/groth16/proving_device.hpp"
#include "common/groth16/verify.hpp"

namespace penstock::tests {

/// What the device does with the next partitions; shared by its lanes.
class FakeFaults {
 public:
  std::atomic<int> wrong_proofs = 0;   ///< so many proofs come out wrong although the witness is right
  std::atomic<int> out_of_memory = 0;  ///< so many stage() calls fail
  std::atomic<bool> lost = false;      ///< prove_start throws DeviceLost
  std::atomic<int> proofs = 0;         ///< made so far

  /// Until opened, prove_finish waits: a partition is held on its lane.
  void close_gate() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open_gate() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  void wait_gate() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = true;
};

class FakeCircuit final : public groth16::ResidentCircuit {
 public:
  explicit FakeCircuit(std::uint64_t bytes) : bytes_(bytes) {}
  [[nodiscard]] const circuit::KeyShape& shape() const override { return shape_; }
  [[nodiscard]] std::uint64_t device_bytes() const override { return bytes_; }

 private:
  circuit::KeyShape shape_;
  std::uint64_t bytes_;
};

class FakeLane final : public groth16::ProvingLane {
 public:
  explicit FakeLane(FakeFaults& faults) : faults_(faults) {}
  [[nodiscard]] Status stage(const groth16::ResidentCircuit&, const groth16::PartitionView& view) override {
    if (faults_.out_of_memory > 0 && faults_.out_of_memory-- > 0)
      return Error{.code = ErrorCode::out_of_memory, .what = "the device has no memory left"};
    value_ = std::to_integer<std::uint64_t>(view.bytes.front());
    return {};
  }
  [[nodiscard]] Status prove_start(const groth16::Blinding&) override {
    if (faults_.lost) throw groth16::DeviceLost("the fake device is gone");
    return {};
  }
  [[nodiscard]] Result<groth16::ProvedPartition> prove_finish() override {
    faults_.wait_gate();
    ++faults_.proofs;
    groth16::ProvedPartition proved;
    const bool wrong = faults_.wrong_proofs > 0 && faults_.wrong_proofs-- > 0;
    proved.publics = {circuit::Scalar{wrong ? 1 : value_, 0, 0, 0}};
    proved.phases.add(Phase::spmv, std::chrono::microseconds(1));
    return proved;
  }

 private:
  FakeFaults& faults_;
  std::uint64_t value_ = 0;
};

class FakeDevice final : public groth16::ProvingDevice {
 public:
  explicit FakeDevice(std::string name = "cuda:0") { info_.name = std::move(name); }
  [[nodiscard]] const groth16::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] Result<std::shared_ptr<const groth16::ResidentCircuit>> load_circuit(
      std::shared_ptr<const circuit::ProvingKey>) override {
    return std::shared_ptr<const groth16::ResidentCircuit>(std::make_shared<FakeCircuit>(circuit_bytes));
  }
  [[nodiscard]] Result<std::unique_ptr<groth16::ProvingLane>> open_lane() override {
    return std::unique_ptr<groth16::ProvingLane>(std::make_unique<FakeLane>(faults));
  }

  FakeFaults faults;
  std::uint64_t circuit_bytes = 100;

 private:
  groth16::DeviceInfo info_;
};

/// Accepts even publics.
class FakeVerifier final : public groth16::PreparedVerifier {
 public:
  [[nodiscard]] Status verify(const circuit::PublicSignals& publics,
                              const circuit::AnyProof&) const override {
    if (publics.size() == 1 && publics.front()[0] % 2 == 0) return {};
    return Error{.code = ErrorCode::proof_invalid, .what = "the fake proof is odd"};
  }
  [[nodiscard]] Status verify_batch(std::span<const Item> items, int) const override {
    for (const auto& item : items)
      if (const Status one = verify(*item.publics, *item.proof); !one) return one;
    return {};
  }
};

/// Zeros: tests compare by verification, never by bytes.
class FakeBlinding final : public groth16::BlindingSource {
 public:
  [[nodiscard]] groth16::Blinding draw(CurveId) override { return {}; }
};

}  // namespace penstock::tests
