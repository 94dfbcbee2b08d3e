#include "common/groth16/prove.hpp"

#include <gtest/gtest.h>

#include "common/groth16/host_device.hpp"
#include "tests/support/groth16/fixed_blinding.hpp"
#include "tests/support/groth16/vector_circuit.hpp"

namespace penstock::groth16 {
namespace {

using circuit::Scalar;
using testing::outcome;
using testing::value_of;
using testing::VectorCircuit;

class Prove : public ::testing::TestWithParam<CurveId> {
 protected:
  Result<ProvedPartition> prove_with(const VectorCircuit& circuit, const circuit::WitnessView& witness,
                                     BlindingSource& blinding) {
    const auto resident = value_of(device_->load_circuit(circuit.key));
    const auto verifier = value_of(prepare_verifier(circuit.verification_key));
    return prove(*lane_, *resident, *verifier, witness, blinding);
  }
  Result<ProvedPartition> prove_with(const VectorCircuit& circuit, BlindingSource& blinding) {
    return prove_with(circuit, circuit.witness.view(), blinding);
  }
  Scalar minus_one() {
    return algebra::with_curve(GetParam(), [](auto c) -> Scalar {
      using Fr = typename decltype(c)::type::Fr;
      return (-Fr::one()).to_limbs();
    });
  }
  std::unique_ptr<ProvingDevice> device_ = make_host_device({.threads = 2});
  std::unique_ptr<ProvingLane> lane_ = value_of(device_->open_lane());
  OsBlindingSource os_;
};
INSTANTIATE_TEST_SUITE_P(Curves, Prove, ::testing::ValuesIn(testing::curves),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST_P(Prove, EveryCircuitOfTheVectorsProves) {
  for (const char* circuit : testing::circuits)
    EXPECT_EQ(outcome(prove_with({GetParam(), circuit}, os_)), "ok") << circuit;
}

TEST_P(Prove, AKeyWithoutContributionProvesUnderItsOwnVerificationKey) {
  for (const char* circuit : {"mul", "chain", "nopub", "unused"}) {
    VectorCircuit uncontributed(GetParam(), std::string(circuit) + ".0.zkey", std::string(circuit) + ".wtns",
                                std::string(circuit) + ".vk.json");
    uncontributed.verification_key = uncontributed.key->verification_key();
    EXPECT_EQ(outcome(prove_with(uncontributed, os_)), "ok") << circuit;
  }
}

TEST_P(Prove, SectionsInAnyOrderAndUnknownSectionsProve) {
  EXPECT_EQ(outcome(prove_with({GetParam(), "f_reversed.zkey", "chain.wtns", "chain.vk.json"}, os_)), "ok");
  EXPECT_EQ(outcome(prove_with({GetParam(), "chain.zkey", "f_extra.wtns", "chain.vk.json"}, os_)), "ok");
}

TEST_P(Prove, EdgeValuesOfTheBlindingVerify) {
  const VectorCircuit circuit(GetParam(), "square");
  const Scalar values[] = {{}, {1}, minus_one()};
  for (const Scalar& r : values)
    for (const Scalar& s : values) {
      testing::FixedBlindingSource fixed(r, s);
      EXPECT_EQ(outcome(prove_with(circuit, fixed)), "ok");
    }
}

TEST_P(Prove, TwoProofsOfOneWitnessDiffer) {
  const VectorCircuit circuit(GetParam(), "chain");
  const auto first = value_of(prove_with(circuit, os_)), second = value_of(prove_with(circuit, os_));
  EXPECT_NE(circuit::to_json(first.proof), circuit::to_json(second.proof));
  EXPECT_EQ(first.publics, second.publics);
}

TEST_P(Prove, TheSameBlindingGivesTheSameProofOnAnyNumberOfThreads) {
  const VectorCircuit circuit(GetParam(), "square");
  testing::FixedBlindingSource fixed({5}, {6});
  const std::string two = circuit::to_json(value_of(prove_with(circuit, fixed)).proof);
  device_ = make_host_device({.threads = 5});
  lane_ = value_of(device_->open_lane());
  EXPECT_EQ(circuit::to_json(value_of(prove_with(circuit, fixed)).proof), two);
}

TEST_P(Prove, ATableIsMadeWhenItsMemoryIsGivenAndChangesNoProof) {
  const VectorCircuit circuit(GetParam(), "square");
  testing::FixedBlindingSource fixed({5}, {6});
  const std::string plain = circuit::to_json(value_of(prove_with(circuit, fixed)).proof);
  const std::uint64_t bytes = value_of(device_->load_circuit(circuit.key))->device_bytes();
  for (const std::uint64_t given : {std::uint64_t{1}, std::uint64_t{1} << 30}) {
    device_ = make_host_device({.threads = 2, .table_bytes = given});
    lane_ = value_of(device_->open_lane());
    EXPECT_EQ(value_of(device_->load_circuit(circuit.key))->device_bytes() > bytes, given > 1);
    EXPECT_EQ(circuit::to_json(value_of(prove_with(circuit, fixed)).proof), plain);
  }
}

TEST_P(Prove, PublicSignalsAreThoseOfTheWitness) {
  const VectorCircuit circuit(GetParam(), "chain");
  const auto proved = value_of(prove_with(circuit, os_));
  EXPECT_EQ(circuit::to_json(proved.publics),
            circuit::to_json(value_of(circuit::publics_from_json(
                testing::read_text(testing::vector_path(GetParam(), "chain.public.json")), GetParam()))));
}

TEST_P(Prove, AWitnessThatBreaksTheCircuitIsUnsatisfied) {
  EXPECT_EQ(outcome(prove_with({GetParam(), "chain.zkey", "f_wrongwire.wtns", "chain.vk.json"}, os_)),
            "witness_unsatisfied");
}

TEST_P(Prove, AWitnessOfAnotherCircuitOrCurveIsRefusedBeforeAnyWork) {
  const VectorCircuit chain(GetParam(), "chain"), mul(GetParam(), "mul");
  EXPECT_EQ(outcome(prove_with(chain, mul.witness.view(), os_)), "size_mismatch");
  const CurveId other = GetParam() == CurveId::bn254 ? CurveId::bls12_381 : CurveId::bn254;
  const VectorCircuit elsewhere(other, "chain");
  EXPECT_EQ(outcome(prove_with(chain, elsewhere.witness.view(), os_)), "curve_mismatch");
}

TEST_P(Prove, EveryPhaseOfTheHostIsTimed) {
  const auto proved = value_of(prove_with({GetParam(), "square"}, os_));
  for (const Phase phase : {Phase::decode, Phase::spmv, Phase::ntt, Phase::digits, Phase::msm_h, Phase::msm_c,
                            Phase::msm_a, Phase::msm_b1, Phase::msm_b2, Phase::finish, Phase::verify})
    EXPECT_TRUE(proved.phases.get(phase).has_value()) << name(phase);
}

}  // namespace
}  // namespace penstock::groth16
