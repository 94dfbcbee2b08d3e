#include <gtest/gtest.h>

#include "common/groth16/explain_failure.hpp"
#include "common/groth16/random_scalar.hpp"
#include "common/groth16/setup_key.hpp"
#include "tests/unit/groth16/made_circuit.hpp"

namespace penstock::groth16 {
namespace {

using C = algebra::Bls12_381;
using testing::outcome;
using testing::value_of;

/// A key whose H was made with the roots 7^t of bellman, arkworks and blst.
std::filesystem::path make_bellman_key(const testing::MadeCircuit& circuit) {
  const int log2 = setup_domain_log2(circuit.r1cs->shape());
  const auto roots = bellman_roots(log2);
  const ScalarSampler sampler(C::id);
  const auto path = circuit.folder / "bellman.zkey";
  static_cast<void>(value_of(setup_key<C>(*circuit.r1cs, path, {log2, roots.root, roots.coset_shift},
                                          {.threads = 1}, [&] { return sampler.draw(os_random_bytes); })));
  return path;
}

TEST(RootsOfUnity, AKeyOfTheOtherFamilyIsNamedAtItsFirstProof) {
  const testing::MadeCircuit circuit(
      {.curve = C::id, .constraints = 50, .outputs = 1, .private_inputs = 4, .internal = 30});
  const auto proved = circuit.prove_with(make_bellman_key(circuit));
  ASSERT_EQ(outcome(proved), "key_mismatch");
  EXPECT_NE(proved.error().what.find("roots of unity"), std::string::npos);
  EXPECT_NE(proved.error().file.find("bellman.zkey"), std::string::npos);
}

TEST(RootsOfUnity, AnUnsatisfiedWitnessIsNotBlamedOnTheKey) {
  testing::MadeCircuit circuit(
      {.curve = C::id, .constraints = 50, .outputs = 1, .private_inputs = 4, .internal = 30});
  const auto path = make_bellman_key(circuit);
  circuit.wires[3][0] ^= 1;
  EXPECT_EQ(outcome(circuit.prove_with(path)), "witness_unsatisfied");
}

TEST(RootsOfUnity, TheFamiliesAreBothPrimitiveAndDiffer) {
  for (int log2 = 1; log2 <= C::two_adicity; ++log2) {
    C::Fr root = bellman_roots(log2).root;
    for (int i = 1; i < log2; ++i) root = root.square();
    EXPECT_EQ(root, -C::Fr::one()) << log2;
  }
  EXPECT_FALSE(bellman_roots(C::two_adicity).root == C::root_of_unity(C::two_adicity));
}

}  // namespace
}  // namespace penstock::groth16
