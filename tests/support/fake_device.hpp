// A ProvingDevice for tests: no field arithmetic, every proof made at once or held at a gate, faults on
// demand. Shape: a "proof" names its publics: {value of the partition's first byte}. FakeVerifier accepts a
// proof whose publics are even, so that a partition's bytes decide whether its witness "satisfies" the
// circuit. Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "common/groth16/proving_device.hpp"
#include "common/groth16/verify.hpp"

namespace penstock::tests {

/// A clock that the test moves. Threads: any.
class MovedClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady_now() const override { return SteadyTime(std::chrono::nanoseconds(now_)); }
  [[nodiscard]] WallTime wall_now() const override { return {}; }
  void advance(std::chrono::nanoseconds by) { now_ += by.count(); }

 private:
  std::atomic<std::int64_t> now_ = std::int64_t{1'000'000'000'000};
};

/// How long each step of a partition takes on the clock of the test.
struct FakeTimes {
  std::chrono::nanoseconds transfer{0}, host{0}, kernels{0}, assembly{0};
};

/// What the device does with the next partitions; shared by its lanes.
class FakeFaults {
 public:
  std::atomic<int> wrong_proofs = 0;   ///< so many proofs come out wrong although the witness is right
  std::atomic<int> out_of_memory = 0;  ///< so many stage() calls fail
  std::atomic<bool> lost = false;      ///< prove_start throws DeviceLost
  std::atomic<int> proofs = 0;         ///< made so far

  /// From now on every partition moves the clock and reports what it did. One lane only.
  void script(const FakeTimes& times, MovedClock& clock) {
    times_ = times;
    clock_ = &clock;
  }
  /// Moves the clock on by one step of the script; the time it takes.
  telemetry::Interval spend(std::chrono::nanoseconds FakeTimes::*step) {
    if (clock_ == nullptr) return {};
    const SteadyTime begin = clock_->steady_now();
    clock_->advance(times_.*step);
    return {begin, clock_->steady_now()};
  }

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
  FakeTimes times_;
  MovedClock* clock_ = nullptr;
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
    timeline_.clear();
    timeline_.transfers.push_back(faults_.spend(&FakeTimes::transfer));
    return {};
  }
  [[nodiscard]] Status prove_start(const groth16::Blinding&) override {
    if (faults_.lost) throw groth16::DeviceLost("the fake device is gone");
    static_cast<void>(faults_.spend(&FakeTimes::host));
    const telemetry::Interval ran = faults_.spend(&FakeTimes::kernels);
    timeline_.segments.push_back({ran.begin, ran.end});
    return {};
  }
  [[nodiscard]] Result<groth16::ProvedPartition> prove_finish() override {
    faults_.wait_gate();
    static_cast<void>(faults_.spend(&FakeTimes::assembly));
    ++faults_.proofs;
    groth16::ProvedPartition proved;
    const bool wrong = faults_.wrong_proofs > 0 && faults_.wrong_proofs-- > 0;
    proved.publics = {circuit::Scalar{wrong ? 1 : value_, 0, 0, 0}};
    proved.phases.add(Phase::spmv, std::chrono::microseconds(1));
    return proved;
  }
  [[nodiscard]] const telemetry::LaneTimeline& timeline() const override { return timeline_; }

 private:
  FakeFaults& faults_;
  std::uint64_t value_ = 0;
  telemetry::LaneTimeline timeline_;
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
