// Whole proofs on the device, from the vectors' keys and witnesses, under every condition a service meets.
#include <atomic>
#include <filesystem>
#include <thread>

#include "common/circuit/proof_json.hpp"
#include "common/circuit/witness.hpp"
#include "common/groth16/prove.hpp"
#include "cuda/groth16/cuda_device.hpp"
#include "tests/gpu/gpu_fixture.hpp"

namespace penstock::test {
namespace {

const char* const circuits[] = {"mul", "chain", "nopub", "unused", "square", "linear"};

struct Case {
  std::shared_ptr<const circuit::ProvingKey> key;
  std::vector<circuit::Scalar> witness;
  std::unique_ptr<groth16::PreparedVerifier> verifier;

  Case(const std::string& curve, const std::string& name) {
    const std::string base = vectors_folder() + "/" + curve + "/" + name;
    key = circuit::ProvingKey::open(base + ".zkey").value();
    const auto file = circuit::MappedFile::open(base + ".wtns").value();
    const auto view = circuit::parse_wtns(file.bytes()).value();
    for (std::size_t i = 0; i < view.values.size(); ++i) witness.push_back(view.values[i]);
    verifier = groth16::prepare_verifier(key->verification_key()).value();
  }
  [[nodiscard]] circuit::WitnessView view() const {
    return {key->shape().curve, UnalignedSpan<circuit::Scalar>(std::span(witness))};
  }
};

class DeviceProof : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped()) return;
    auto made = cuda::make_cuda_device({});
    ASSERT_TRUE(made.ok()) << to_string(made.error());
    device_ = std::move(made).value();
  }
  Result<groth16::ProvedPartition> prove(groth16::ProvingLane& lane, const Case& c) {
    const auto circuit = device_->load_circuit(c.key);
    if (!circuit.ok()) return circuit.error();
    return groth16::prove(lane, **circuit, *c.verifier, c.view(), blinding_);
  }

  std::unique_ptr<groth16::ProvingDevice> device_;
  groth16::OsBlindingSource blinding_;
  std::uint64_t base_ = 0;  ///< free memory with nothing loaded
};

TEST_F(DeviceProof, VerifiesForEveryVectorOnBothCurves) {
  const auto lane = device_->open_lane().value();
  for (const char* curve : {"bn254", "bls12_381"})
    for (const char* name : circuits) {
      const auto proved = prove(*lane, Case(curve, name));
      ASSERT_TRUE(proved.ok()) << curve << "/" << name << ": " << to_string(proved.error());
    }
}

TEST_F(DeviceProof, VerifiesWhileTwoCircuitsAlternateAHundredTimesInOneLane) {
  const Case small("bn254", "mul"), large("bls12_381", "square");
  const auto small_circuit = device_->load_circuit(small.key).value(),
             large_circuit = device_->load_circuit(large.key).value();
  const auto lane = device_->open_lane().value();
  for (int i = 0; i < 100; ++i) {
    const Case& c = i % 2 == 0 ? small : large;
    const auto proved =
        groth16::prove(*lane, i % 2 == 0 ? *small_circuit : *large_circuit, *c.verifier, c.view(), blinding_);
    ASSERT_TRUE(proved.ok()) << i << ": " << to_string(proved.error());
  }
}

TEST_F(DeviceProof, VerifiesInTwoLanesAtOnce) {
  const Case c("bn254", "chain");
  const auto circuit = device_->load_circuit(c.key).value();
  std::atomic<int> verified{0};
  const auto work = [&] {
    groth16::OsBlindingSource blinding;
    const auto lane = device_->open_lane().value();
    for (int i = 0; i < 100; ++i)
      if (groth16::prove(*lane, *circuit, *c.verifier, c.view(), blinding).ok()) ++verified;
  };
  { const std::jthread first(work), second(work); }
  EXPECT_EQ(verified, 200);
}

TEST_F(DeviceProof, LeavesNoDeviceMemoryBehindWhenLanesAndCircuitsGo) {
  const auto prove_all = [&] {
    for (const char* curve : {"bn254", "bls12_381"}) {
      const Case c(curve, "chain");
      const auto circuit = device_->load_circuit(c.key).value();
      const auto first = device_->open_lane().value(), second = device_->open_lane().value();
      for (const auto& lane : {first.get(), second.get()})
        ASSERT_TRUE(groth16::prove(*lane, *circuit, *c.verifier, c.view(), blinding_).ok());
      ASSERT_LT(cuda::free_memory_bytes(), base_);
    }
  };
  base_ = ~std::uint64_t{0};
  prove_all();  // the context's own memory has grown as far as it grows
  base_ = cuda::free_memory_bytes();
  for (int round = 0; round < 5; ++round) {
    prove_all();
    EXPECT_EQ(cuda::free_memory_bytes(), base_) << "round " << round;
  }
}

TEST_F(DeviceProof, RefusesAWitnessThatDoesNotSatisfy) {
  Case c("bls12_381", "chain");
  c.witness[100][0] ^= 1;
  const auto lane = device_->open_lane().value();
  const auto proved = prove(*lane, c);
  ASSERT_FALSE(proved.ok());
  EXPECT_EQ(proved.error().code, ErrorCode::witness_unsatisfied);
}

TEST_F(DeviceProof, RefusesAValueThatIsNotCanonicalAndAFirstWireThatIsNotOne) {
  Case c("bn254", "chain");
  const auto circuit = device_->load_circuit(c.key).value();
  const auto lane = device_->open_lane().value();
  const auto code = [&](const std::vector<circuit::Scalar>& witness) {
    const groth16::PartitionView view{.bytes = std::as_bytes(std::span(witness))};
    groth16::Blinding blinding = blinding_.draw(CurveId::bn254);
    if (const Status staged = lane->stage(*circuit, view); !staged.ok()) return staged.error().code;
    if (const Status started = lane->prove_start(blinding); !started.ok()) return started.error().code;
    const auto proved = lane->prove_finish();
    return proved.ok() ? ErrorCode::internal : proved.error().code;
  };
  auto witness = c.witness;
  witness[50] = {~0ull, ~0ull, ~0ull, ~0ull};
  EXPECT_EQ(code(witness), ErrorCode::not_canonical);
  witness = c.witness;
  witness[0] = {2, 0, 0, 0};
  EXPECT_EQ(code(witness), ErrorCode::not_canonical);
  witness = c.witness;
  witness.pop_back();
  EXPECT_EQ(code(witness), ErrorCode::size_mismatch);
  EXPECT_TRUE(groth16::prove(*lane, *circuit, *c.verifier, c.view(), blinding_).ok())
      << "the lane is usable again";
}

}  // namespace
}  // namespace penstock::test
