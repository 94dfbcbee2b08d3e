#include "common/groth16/verify.hpp"

#include <gtest/gtest.h>

#include "tests/support/groth16/vector_circuit.hpp"

namespace penstock::groth16 {
namespace {

using circuit::AnyProof;
using circuit::PublicSignals;
using testing::outcome;
using testing::value_of;

/// snarkjs's proof and publics of a circuit, and the verifier of its key.
struct Sample {
  AnyProof proof;
  PublicSignals publics;
  std::unique_ptr<PreparedVerifier> verifier;
  Sample(CurveId curve, const std::string& circuit)
      : proof(value_of(circuit::proof_from_json(text(curve, circuit + ".proof.json"), curve))),
        publics(value_of(circuit::publics_from_json(text(curve, circuit + ".public.json"), curve))),
        verifier(value_of(prepare_verifier(
            value_of(circuit::verification_key_from_json(text(curve, circuit + ".vk.json")))))) {}
  static std::string text(CurveId curve, const std::string& file) {
    return testing::read_text(testing::vector_path(curve, file));
  }
  [[nodiscard]] std::string verify(const AnyProof& other) const {
    return outcome(verifier->verify(publics, other));
  }
};

template <class C>
class Verify : public ::testing::Test {
 protected:
  using Proof = circuit::Proof<C>;
  Sample sample_{C::id, "chain"};
  Proof& proof() { return std::get<Proof>(sample_.proof); }
};
using Curves = ::testing::Types<algebra::Bn254, algebra::Bls12_381>;
TYPED_TEST_SUITE(Verify, Curves);

TYPED_TEST(Verify, AcceptsSnarkjsProofsOfEveryCircuit) {
  for (const char* circuit : testing::circuits) {
    const Sample sample(TypeParam::id, circuit);
    EXPECT_EQ(sample.verify(sample.proof), "ok") << circuit;
  }
}

TYPED_TEST(Verify, OneBitChangedAnywhereIsRefused) {
  const AnyProof original = this->sample_.proof;
  auto& proof = this->proof();
  for (auto* coordinate : {&proof.a.x, &proof.a.y, &proof.b.x.c0, &proof.b.x.c1, &proof.b.y.c0, &proof.b.y.c1,
                           &proof.c.x, &proof.c.y})
    for (const int bit : {0, 63}) {
      coordinate->limb[0] ^= std::uint64_t{1} << bit;
      EXPECT_NE(this->sample_.verify(this->sample_.proof), "ok");
      coordinate->limb[0] ^= std::uint64_t{1} << bit;
    }
  EXPECT_EQ(this->sample_.verify(original), "ok");
}

TYPED_TEST(Verify, NegatingAAndBChangesNothing) {
  auto& proof = this->proof();
  proof.a = -proof.a;
  EXPECT_EQ(this->sample_.verify(this->sample_.proof), "proof_invalid");
  proof.b = -proof.b;
  EXPECT_EQ(this->sample_.verify(this->sample_.proof), "ok");
}

TYPED_TEST(Verify, InfinityForAnyPointIsRefused) {
  const AnyProof original = this->sample_.proof;
  auto& proof = this->proof();
  proof.a = TypeParam::G1::infinity();
  EXPECT_EQ(this->sample_.verify(this->sample_.proof), "proof_invalid");
  this->sample_.proof = original;
  this->proof().b = TypeParam::G2::infinity();
  EXPECT_EQ(this->sample_.verify(this->sample_.proof), "proof_invalid");
  this->sample_.proof = original;
  this->proof().c = TypeParam::G1::infinity();
  EXPECT_EQ(this->sample_.verify(this->sample_.proof), "proof_invalid");
}

TYPED_TEST(Verify, PublicsAreCountedCheckedAndBound) {
  PublicSignals publics = this->sample_.publics;
  const auto verify = [&] { return outcome(this->sample_.verifier->verify(publics, this->sample_.proof)); };
  publics.push_back({1});
  EXPECT_EQ(verify(), "size_mismatch");
  publics.resize(publics.size() - 2);
  EXPECT_EQ(verify(), "size_mismatch");
  publics = this->sample_.publics;
  publics[0] = TypeParam::Fr::modulus();
  EXPECT_EQ(verify(), "not_canonical");
  publics[0] = {7};
  EXPECT_EQ(verify(), "proof_invalid");
}

TYPED_TEST(Verify, AnUnusedPublicInputIsBoundToo) {
  const Sample sample(TypeParam::id, "unused");
  for (std::size_t i = 0; i < sample.publics.size(); ++i) {
    PublicSignals publics = sample.publics;
    publics[i][0] ^= 1;
    EXPECT_EQ(outcome(sample.verifier->verify(publics, sample.proof)), "proof_invalid") << i;
  }
}

TYPED_TEST(Verify, AProofOfTheOtherCurveIsNamed) {
  const CurveId other = TypeParam::id == CurveId::bn254 ? CurveId::bls12_381 : CurveId::bn254;
  EXPECT_EQ(this->sample_.verify(Sample(other, "chain").proof), "curve_mismatch");
}

TYPED_TEST(Verify, ABatchOfValidProofsIsValidOnAnyNumberOfThreads) {
  const std::vector<PreparedVerifier::Item> items(9, {&this->sample_.publics, &this->sample_.proof});
  for (const int threads : {0, 1, 3})
    EXPECT_EQ(outcome(this->sample_.verifier->verify_batch(items, threads)), "ok");
  EXPECT_EQ(outcome(this->sample_.verifier->verify_batch({}, 1)), "ok");
}

TYPED_TEST(Verify, ABatchNamesWhatIsWrongWithItsBadProof) {
  AnyProof bad = this->sample_.proof;
  std::get<circuit::Proof<TypeParam>>(bad).c = TypeParam::g1_generator();
  const PublicSignals short_publics;
  std::vector<PreparedVerifier::Item> items(3, {&this->sample_.publics, &this->sample_.proof});
  items[1].proof = &bad;
  EXPECT_EQ(outcome(this->sample_.verifier->verify_batch(items, 2)), "proof_invalid");
  items[2].publics = &short_publics;
  EXPECT_EQ(outcome(this->sample_.verifier->verify_batch(items, 2)), "size_mismatch");
}

TYPED_TEST(Verify, TwoBadProofsThatCancelUnderEqualWeightsAreCaught) {
  AnyProof first = this->sample_.proof, second = this->sample_.proof;
  auto shift = [](AnyProof& proof, const typename TypeParam::G1& by) {
    auto& c = std::get<circuit::Proof<TypeParam>>(proof).c;
    auto sum = TypeParam::G1Sum::from(c);
    sum.add(by);
    c = sum.to_affine();
  };
  shift(first, TypeParam::g1_generator());
  shift(second, -TypeParam::g1_generator());
  const std::vector<PreparedVerifier::Item> items = {{&this->sample_.publics, &first},
                                                     {&this->sample_.publics, &second}};
  EXPECT_EQ(outcome(this->sample_.verifier->verify_batch(items, 1)), "proof_invalid");
}

}  // namespace
}  // namespace penstock::groth16
