// What memory does when it runs out and when a circuit leaves.
#include "cuda/groth16/lane_core.hpp"

#include "common/circuit/witness.hpp"
#include "common/groth16/verify.hpp"
#include "tests/gpu/gpu_fixture.hpp"

namespace penstock::test {
namespace {

class DeviceMemory : public Gpu {
 protected:
  using C = algebra::Bn254;
  static std::shared_ptr<const circuit::ProvingKey> key() {
    return circuit::ProvingKey::open(vectors_folder() + "/bn254/chain.zkey").value();
  }
  static std::vector<std::byte> witness() {
    const auto file = circuit::MappedFile::open(vectors_folder() + "/bn254/chain.wtns").value();
    const auto values = circuit::parse_wtns(file.bytes()).value().values.bytes();
    return {values.begin(), values.end()};
  }
  /// Loads, stages and proves; everything it allocated is gone when it returns or throws.
  static Status prove_once(cuda::DeviceHeap& heap, const std::vector<std::byte>& bytes,
                           const cuda::LaneLimits& limits = {}) {
    groth16::OsBlindingSource blinding;
    const auto proving_key = key();
    const cuda::DeviceCircuit<C> circuit(heap, proving_key, std::uint64_t{1} << 30);
    cuda::DeviceClock clock;
    cuda::DeviceLease lease;
    cuda::LaneCore<C> lane(heap, clock, lease, limits);
    PENSTOCK_TRY(lane.stage(circuit, {.bytes = bytes}));
    lane.start();
    const auto proved = PENSTOCK_TRY(lane.finish(blinding.draw(C::id)));
    return groth16::verify(proving_key->verification_key(), proved.publics, proved.proof);
  }
  /// In turn, in many chunks, as circuits of millions of constraints are; lists may be halved twice.
  static constexpr cuda::LaneLimits chunks{.longest = 2000, .shortest = 500};
};

TEST_F(DeviceMemory, ReturnsToItsBaseAndProvesAgainAfterEachAllocationInTurnHasFailed) {
  cuda::DeviceHeap heap(std::uint64_t{4} << 30);
  const auto bytes = witness();
  int failures = 0;
  for (std::int64_t k = 0;; ++k) {
    heap.fail_allocation_after(k);
    bool failed = false;
    try {
      ASSERT_TRUE(prove_once(heap, bytes).ok());
    } catch (const cuda::CudaError& error) {
      failed = true;
      EXPECT_EQ(error.to_error().code, ErrorCode::out_of_memory);
      EXPECT_FALSE(error.sticky());
    }
    const bool spared = heap.failure_is_to_come();
    heap.fail_allocation_after(-1);
    EXPECT_EQ(heap.used_bytes(), 0u) << "after allocation " << k;
    if (spared) break;
    EXPECT_TRUE(failed) << "allocation " << k;  // a small circuit cannot do with less
    ++failures;
    ASSERT_TRUE(prove_once(heap, bytes).ok()) << "after allocation " << k << " had failed";
  }
  EXPECT_GT(failures, 20);
}

TEST_F(DeviceMemory, MakesAProofSlowerNeverWrongWhereListsOfDigitsDoNotFit) {
  cuda::DeviceHeap heap(std::uint64_t{4} << 30);
  const auto bytes = witness();
  ASSERT_TRUE(prove_once(heap, bytes, chunks).ok());
  int shorter = 0, failures = 0;
  for (std::int64_t k = 0;; ++k) {
    heap.fail_allocation_after(k);
    try {
      const Status proved = prove_once(heap, bytes, chunks);
      ASSERT_TRUE(proved.ok()) << "allocation " << k << ": " << to_string(proved.error());
      if (heap.failure_is_to_come()) break;
      ++shorter;
    } catch (const cuda::CudaError& error) {
      ++failures;
      EXPECT_EQ(error.to_error().code, ErrorCode::out_of_memory);
    }
    EXPECT_EQ(heap.used_bytes(), 0u) << "after allocation " << k;
  }
  heap.fail_allocation_after(-1);
  EXPECT_GE(shorter, 10) << "the two lists' buffers";
  EXPECT_GT(failures, 20);
}

TEST_F(DeviceMemory, HoldsNoMoreThanTheBudget) {
  cuda::DeviceHeap heap(std::uint64_t{1} << 20);
  EXPECT_THROW(static_cast<void>(prove_once(heap, witness())), cuda::CudaError);
  EXPECT_EQ(heap.used_bytes(), 0u);
  EXPECT_LE(heap.peak_bytes(), heap.budget_bytes());
}

TEST_F(DeviceMemory, AllocatesNothingForTheSecondProofOfACircuit) {
  cuda::DeviceHeap heap(std::uint64_t{4} << 30);
  groth16::OsBlindingSource blinding;
  const auto bytes = witness();
  const cuda::DeviceCircuit<C> circuit(heap, key(), std::uint64_t{1} << 30);
  cuda::DeviceClock clock;
  cuda::DeviceLease lease;
  cuda::LaneCore<C> lane(heap, clock, lease);
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(lane.stage(circuit, {.bytes = bytes}).ok());
    lane.start();
    ASSERT_TRUE(lane.finish(blinding.draw(C::id)).ok());
    heap.fail_allocation_after(0);  // from here on any allocation throws
  }
}

}  // namespace
}  // namespace penstock::test
