// What every ProvingDevice promises (common/groth16/proving_device.hpp).
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "common/algebra/curves.hpp"
#include "common/circuit/packed_witness.hpp"
#include "common/groth16/verify.hpp"
#include "tests/contract/device/devices.hpp"
#include "tests/support/groth16/fixed_blinding.hpp"
#include "tests/support/groth16/vector_circuit.hpp"

namespace penstock::groth16 {
namespace {

using circuit::Scalar;
using testing::outcome;
using testing::value_of;
using testing::VectorCircuit;
using Bytes = std::vector<std::byte>;

Bytes raw(const VectorCircuit& circuit) {
  const auto bytes = circuit.witness.view().values.bytes();
  return {bytes.begin(), bytes.end()};
}
Bytes packed(const VectorCircuit& circuit) {
  Bytes bytes(circuit::packed_size_bound(circuit.witness.view().values.size()));
  bytes.resize(circuit::pack_witness(circuit.witness.view(), bytes));
  return bytes;
}
/// a = A*w, b = B*w computed the plain way, then the witness.
Bytes evaluated(const VectorCircuit& circuit) {
  return algebra::with_curve(circuit.key->shape().curve, [&](auto c) {
    using Fr = typename decltype(c)::type::Fr;
    const std::size_t rows = circuit.key->shape().domain_size;
    std::vector<Fr> sums(2 * rows, Fr::zero());
    for (std::size_t i = 0; i < circuit.key->coefficients().size(); ++i) {
      const circuit::Coefficient entry = circuit.key->coefficients()[i];
      Scalar squared;
      std::memcpy(squared.data(), &entry.value, sizeof squared);
      sums[entry.matrix * rows + entry.constraint] +=
          Fr::from_montgomery(squared) * Fr::from_montgomery(circuit.witness.view().values[entry.signal]);
    }
    Bytes bytes;
    for (const Fr& sum : sums) {
      const Scalar plain = sum.to_limbs();
      const auto* begin = reinterpret_cast<const std::byte*>(plain.data());
      bytes.insert(bytes.end(), begin, begin + sizeof plain);
    }
    const Bytes witness = raw(circuit);
    bytes.insert(bytes.end(), witness.begin(), witness.end());
    return bytes;
  });
}

class Device : public ::testing::TestWithParam<testing::DeviceUnderTest> {
 protected:
  std::shared_ptr<const ResidentCircuit> load(const VectorCircuit& circuit) {
    return value_of(device_->load_circuit(circuit.key));
  }
  static Result<ProvedPartition> run(ProvingLane& lane, const ResidentCircuit& circuit,
                                     const PartitionView& partition) {
    OsBlindingSource os;
    PENSTOCK_TRY(lane.stage(circuit, partition));
    PENSTOCK_TRY(lane.prove_start(os.draw(circuit.shape().curve)));
    return lane.prove_finish();
  }
  static void expect_valid(const VectorCircuit& circuit, const Result<ProvedPartition>& proved) {
    ASSERT_EQ(outcome(proved), "ok");
    EXPECT_EQ(outcome(verify(circuit.verification_key, proved->publics, proved->proof)), "ok");
    EXPECT_EQ(proved->publics, circuit::publics_of(circuit.witness.view(), circuit.key->shape().publics));
  }
  std::unique_ptr<ProvingDevice> device_ = GetParam().make();
  std::unique_ptr<ProvingLane> lane_ = value_of(device_->open_lane());
};
INSTANTIATE_TEST_SUITE_P(All, Device, ::testing::ValuesIn(testing::devices_under_test()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(Device, TellsItsNameAndDescription) {
  EXPECT_TRUE(device_->info().name == "cpu" || device_->info().name.starts_with("cuda:"));
  EXPECT_FALSE(device_->info().description.empty());
  EXPECT_GT(device_->info().memory_bytes, 0u);
}

TEST_P(Device, ProvesEveryCircuitFromARawWitness) {
  for (const CurveId curve : testing::curves)
    for (const char* name : testing::circuits) {
      const VectorCircuit circuit(curve, name);
      const Bytes bytes = raw(circuit);
      expect_valid(circuit, run(*lane_, *load(circuit), {PartitionKind::witness, Encoding::raw, bytes}));
    }
}

TEST_P(Device, ProvesFromPackedWitnessesAndEvaluatedPartitions) {
  for (const CurveId curve : testing::curves)
    for (const char* name : {"mul", "square"}) {
      const VectorCircuit circuit(curve, name);
      const Bytes small = packed(circuit), large = evaluated(circuit);
      const auto resident = load(circuit);
      expect_valid(circuit, run(*lane_, *resident, {PartitionKind::witness, Encoding::packed, small}));
      expect_valid(circuit, run(*lane_, *resident, {PartitionKind::evaluated, Encoding::raw, large}));
      expect_valid(circuit, run(*lane_, *resident, {PartitionKind::witness, Encoding::packed, small}));
    }
}

TEST_P(Device, TheResidentCircuitTellsItsShapeAndSize) {
  const VectorCircuit circuit(CurveId::bn254, "chain");
  const auto resident = load(circuit);
  EXPECT_EQ(resident->shape().variables, 303u);
  EXPECT_EQ(resident->shape().domain_size, 512u);
  EXPECT_GT(resident->device_bytes(), 0u);
}

TEST_P(Device, RefusesBadPartitionsByNameAndTheLaneGoesOn) {
  const VectorCircuit circuit(CurveId::bn254, "chain");
  const auto resident = load(circuit);
  const Bytes good = raw(circuit);
  const auto stage = [&](const Bytes& bytes, PartitionKind kind = PartitionKind::witness,
                         Encoding encoding = Encoding::raw) {
    return outcome(lane_->stage(*resident, {kind, encoding, bytes}));
  };
  Bytes bad = good;
  bad.pop_back();
  EXPECT_EQ(stage(bad), "size_mismatch");
  EXPECT_EQ(stage({}), "size_mismatch");
  bad = good;
  bad[0] = std::byte{2};  // wire 0 is the constant one
  EXPECT_EQ(stage(bad), "not_canonical");
  bad = good;
  std::fill(bad.begin() + 32 * 17, bad.begin() + 32 * 18, std::byte{0xff});
  EXPECT_EQ(stage(bad), "not_canonical");
  EXPECT_EQ(stage(good, PartitionKind::evaluated), "size_mismatch");
  bad = evaluated(circuit);
  std::fill(bad.begin() + 32 * 600, bad.begin() + 32 * 601, std::byte{0xff});
  EXPECT_EQ(stage(bad, PartitionKind::evaluated), "not_canonical");
  EXPECT_NE(stage(good, PartitionKind::witness, Encoding::packed), "ok");
  EXPECT_NE(stage(packed(circuit), PartitionKind::evaluated, Encoding::packed), "ok");
  EXPECT_NE(stage(packed(VectorCircuit(CurveId::bn254, "mul")), PartitionKind::witness, Encoding::packed),
            "ok");
  EXPECT_NE(
      stage(packed(VectorCircuit(CurveId::bls12_381, "chain")), PartitionKind::witness, Encoding::packed),
      "ok");
  EXPECT_FALSE(lane_->prove_start(OsBlindingSource().draw(CurveId::bn254)).ok());
  EXPECT_FALSE(lane_->prove_finish().ok());
  expect_valid(circuit, run(*lane_, *resident, {PartitionKind::witness, Encoding::raw, good}));
  EXPECT_FALSE(lane_->prove_finish().ok()) << "a finished proof is gone";
}

TEST_P(Device, CircuitsOfBothCurvesAndManySizesAlternateOnOneLane) {
  std::vector<VectorCircuit> circuits;
  for (const char* name : {"mul", "square", "linear", "chain"})
    for (const CurveId curve : testing::curves) circuits.emplace_back(curve, name);
  std::vector<std::shared_ptr<const ResidentCircuit>> residents;
  for (const auto& circuit : circuits) residents.push_back(load(circuit));
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < circuits.size(); ++i) {
      const Bytes bytes = raw(circuits[i]);
      expect_valid(circuits[i], run(*lane_, *residents[i], {PartitionKind::witness, Encoding::raw, bytes}));
    }
}

TEST_P(Device, TwoLanesOnTwoThreadsDoNotDisturbEachOther) {
  const VectorCircuit first(CurveId::bn254, "square"), second(CurveId::bls12_381, "chain");
  const auto work = [&](const VectorCircuit& circuit) {
    const auto lane = value_of(device_->open_lane());
    const auto resident = load(circuit);
    const Bytes bytes = raw(circuit);
    for (int i = 0; i < 5; ++i)
      expect_valid(circuit, run(*lane, *resident, {PartitionKind::witness, Encoding::raw, bytes}));
  };
  std::thread other(work, std::cref(first));
  work(second);
  other.join();
}

TEST_P(Device, TwoLanesOnOneThreadMayInterleave) {
  const VectorCircuit circuit(CurveId::bn254, "chain");
  const auto resident = load(circuit);
  const auto second = value_of(device_->open_lane());
  const Bytes bytes = raw(circuit);
  const PartitionView partition{PartitionKind::witness, Encoding::raw, bytes};
  OsBlindingSource os;
  ASSERT_TRUE(lane_->stage(*resident, partition).ok());
  ASSERT_TRUE(lane_->prove_start(os.draw(CurveId::bn254)).ok());
  ASSERT_TRUE(second->stage(*resident, partition).ok());
  ASSERT_TRUE(second->prove_start(os.draw(CurveId::bn254)).ok());
  expect_valid(circuit, lane_->prove_finish());
  expect_valid(circuit, second->prove_finish());
}

TEST_P(Device, BlindingIsAllThatTwoProofsOfOneWitnessDifferIn) {
  const VectorCircuit circuit(CurveId::bn254, "square");
  const auto resident = load(circuit);
  const Bytes bytes = raw(circuit);
  const auto prove_with = [&](std::uint64_t r) {
    testing::FixedBlindingSource blinding({r}, {9});
    EXPECT_TRUE(lane_->stage(*resident, {PartitionKind::witness, Encoding::raw, bytes}).ok());
    EXPECT_TRUE(lane_->prove_start(blinding.draw(CurveId::bn254)).ok());
    return circuit::to_json(value_of(lane_->prove_finish()).proof);
  };
  EXPECT_EQ(prove_with(1), prove_with(1));
  EXPECT_NE(prove_with(1), prove_with(2));
}

TEST_P(Device, AFinishedProofTellsItsPhases) {
  const VectorCircuit circuit(CurveId::bn254, "square");
  const Bytes bytes = raw(circuit);
  const auto proved = value_of(run(*lane_, *load(circuit), {PartitionKind::witness, Encoding::raw, bytes}));
  for (const Phase phase : {Phase::decode, Phase::spmv, Phase::ntt, Phase::msm_h, Phase::msm_c, Phase::msm_a,
                            Phase::msm_b1, Phase::msm_b2, Phase::finish})
    EXPECT_TRUE(proved.phases.get(phase).has_value()) << name(phase);
}

TEST_P(Device, AProofLeavesASegmentWithinItsTimeForTheIdleLedger) {
  const VectorCircuit circuit(CurveId::bn254, "square");
  const auto resident = load(circuit);
  const Bytes bytes = raw(circuit);
  for (int round = 0; round < 2; ++round) {
    const SteadyTime begin = std::chrono::steady_clock::now();
    expect_valid(circuit, run(*lane_, *resident, {PartitionKind::witness, Encoding::raw, bytes}));
    const SteadyTime end = std::chrono::steady_clock::now();
    const telemetry::LaneTimeline& timeline = lane_->timeline();
    ASSERT_FALSE(timeline.segments.empty());
    ASSERT_FALSE(timeline.transfers.empty());
    constexpr std::chrono::milliseconds tolerance{1};  // a device's clock is placed on the host's
    for (const telemetry::Segment& segment : timeline.segments) {
      EXPECT_LE(segment.first, segment.last);
      EXPECT_GE(segment.first, begin - tolerance);
      EXPECT_LE(segment.last, end + tolerance);
    }
  }
}

TEST_P(Device, ARefusedPartitionLeavesNoSegmentOfTheOneBefore) {
  const VectorCircuit circuit(CurveId::bn254, "square");
  const auto resident = load(circuit);
  const Bytes bytes = raw(circuit);
  expect_valid(circuit, run(*lane_, *resident, {PartitionKind::witness, Encoding::raw, bytes}));
  ASSERT_FALSE(lane_->stage(*resident, {PartitionKind::witness, Encoding::raw, {}}).ok());
  EXPECT_TRUE(lane_->timeline().segments.empty());
}

}  // namespace
}  // namespace penstock::groth16
