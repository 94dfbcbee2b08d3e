// The idle ledger on the device: segments on the host's clock, a host that dawdles, the oracle, the driver's
// word.
#include <thread>

#include "common/circuit/witness.hpp"
#include "common/groth16/blinding.hpp"
#include "common/telemetry/idle_ledger.hpp"
#include "cuda/device/device_clock.hpp"
#include "cuda/groth16/activity_oracle.hpp"
#include "cuda/groth16/cuda_device.hpp"
#include "cuda/groth16/device_monitor.hpp"
#include "tests/gpu/gpu_fixture.hpp"

namespace penstock::test {
namespace {

using telemetry::IdleLedger;
using telemetry::IdleReason;
using namespace std::chrono_literals;

class DeviceLedger : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped() || HasFailure()) return;
    device_ = cuda::make_cuda_device({}).value();
    const std::string base = vectors_folder() + "/bls12_381/chain";
    circuit_ = device_->load_circuit(circuit::ProvingKey::open(base + ".zkey").value()).value();
    file_.emplace(circuit::MappedFile::open(base + ".wtns").value());
    witness_ = circuit::parse_wtns(file_->bytes()).value().values.bytes();
    lane_ = device_->open_lane().value();
    prove(0ms);  // workspaces are made
  }
  /// One partition in hand; the host dawdles between what it staged and the launch of the proof.
  void prove(std::chrono::milliseconds dawdle) {
    telemetry::InHand in_hand(ledger_);
    ASSERT_TRUE(
        lane_->stage(*circuit_, {groth16::PartitionKind::witness, groth16::Encoding::raw, witness_}).ok());
    if (dawdle > 0ms) std::this_thread::sleep_for(dawdle);
    ASSERT_TRUE(lane_->prove_start(blinding_.draw(CurveId::bls12_381)).ok());
    ASSERT_TRUE(lane_->prove_finish().ok());
    in_hand.did(lane_->timeline());
  }

  SystemClock clock_;
  IdleLedger ledger_{clock_};
  groth16::OsBlindingSource blinding_;
  std::unique_ptr<groth16::ProvingDevice> device_;
  std::shared_ptr<const groth16::ResidentCircuit> circuit_;
  std::optional<circuit::MappedFile> file_;
  std::span<const std::byte> witness_;
  std::unique_ptr<groth16::ProvingLane> lane_;
};

TEST_F(DeviceLedger, ASleepOfTheHostBeforeALaunchIsTheHosts) {
  const auto before = ledger_.totals();
  prove(50ms);
  const auto after = ledger_.totals();
  EXPECT_GE(after.of(IdleReason::host) - before.of(IdleReason::host), 50ms);
  EXPECT_LT(after.busy - before.busy, 50ms);
  EXPECT_GT(after.busy - before.busy, 0ms);
}

TEST_F(DeviceLedger, SegmentsFollowEachOtherWithinThePartitionsTime) {
  const SteadyTime begin = std::chrono::steady_clock::now();
  prove(0ms);
  const SteadyTime end = std::chrono::steady_clock::now();
  const auto& segments = lane_->timeline().segments;
  ASSERT_GT(segments.size(), 5u);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    EXPECT_LE(segments[i].first, segments[i].last);
    EXPECT_GE(segments[i].first, begin - 1ms);
    EXPECT_LE(segments[i].last, end + 1ms);
    if (i > 0) {
      EXPECT_GE(segments[i].first, segments[i - 1].last - 1us);
    }
  }
}

TEST_F(DeviceLedger, AnchorsAgreeWithEachOther) {
  const cuda::Stream stream;
  const cuda::ClockAnchor first(stream), second(stream);
  cuda::Event event(cuda::Event::Use::timing);
  stream.record(event);
  event.wait_until_reached();
  const auto difference = first.place(event) - second.place(event);
  EXPECT_LT(std::chrono::abs(difference), 100us);
}

TEST_F(DeviceLedger, TheOracleSeesNoMoreThanThePartitionsTookAndNoLessThanNothing) {
  auto oracle = cuda::start_activity_oracle();
  if (!oracle.ok()) GTEST_SKIP() << to_string(oracle.error());
  const SteadyTime begin = std::chrono::steady_clock::now();
  prove(0ms);
  const SteadyTime end = std::chrono::steady_clock::now();
  const auto activity = (*oracle)->stop();
  ASSERT_TRUE(activity.ok()) << to_string(activity.error());
  EXPECT_GT(activity->kernels.size(), 20u);
  EXPECT_FALSE(activity->copies.empty());
  for (const auto& kernel : activity->kernels) {
    EXPECT_GE(kernel.begin, begin - 1ms);
    EXPECT_LE(kernel.end, end + 1ms);
  }
}

TEST_F(DeviceLedger, TheDriversWordIsFoundByUuid) {
  const auto devices = cuda::visible_devices().value();
  auto monitor = cuda::make_device_monitor(devices.front().uuid);
  if (!monitor.ok()) GTEST_SKIP() << to_string(monitor.error());
  const auto sample = (*monitor)->sample();
  ASSERT_TRUE(sample.memory_used_bytes.has_value());
  EXPECT_GT(*sample.memory_used_bytes, 0u);
  EXPECT_LE(*sample.memory_used_bytes, devices.front().memory_bytes + (std::uint64_t{4} << 30));
  if (sample.utilization) {
    EXPECT_LE(*sample.utilization, 1.0);
  }
  EXPECT_FALSE(cuda::make_device_monitor("GPU-00000000-0000-0000-0000-000000000000").ok());
}

}  // namespace
}  // namespace penstock::test
