#include "common/groth16/setup.hpp"

#include <gtest/gtest.h>

#include "common/groth16/setup_scalars.hpp"
#include "tests/unit/groth16/made_circuit.hpp"

namespace penstock::groth16 {
namespace {

using testing::MadeCircuit;
using testing::outcome;
using testing::R1csRecipe;
using testing::value_of;

void expect_proof(const R1csRecipe& recipe) {
  const MadeCircuit circuit(recipe);
  ASSERT_EQ(outcome(circuit::check_witness(*circuit.r1cs, circuit.witness(), nullptr, 1)), "ok");
  const auto path = circuit.folder / "c.zkey";
  const auto vk = setup_insecure_dev(*circuit.r1cs, path, {.threads = 2});
  ASSERT_EQ(outcome(vk), "ok");
  const auto key = value_of(circuit::ProvingKey::open(path));
  EXPECT_TRUE(key->insecure_dev());
  EXPECT_EQ(circuit::to_json(key->verification_key()), circuit::to_json(*vk));
  const auto proved = circuit.prove_with(path);
  EXPECT_EQ(outcome(proved), "ok") << name(recipe.curve) << ": " << recipe.constraints << " constraints, "
                                   << recipe.outputs << " + " << recipe.public_inputs << " publics";
}

class Setup : public ::testing::TestWithParam<CurveId> {};
INSTANTIATE_TEST_SUITE_P(Curves, Setup, ::testing::ValuesIn(testing::curves),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST_P(Setup, TheSmallestDomainProves) {
  expect_proof({.curve = GetParam(), .constraints = 1, .private_inputs = 2});
}

TEST_P(Setup, DomainsThatAreJustFullAndJustOverflowProve) {
  for (const std::uint32_t rows : {8u, 64u})
    for (const std::uint32_t publics : {0u, 1u, 3u})
      for (const std::uint32_t extra : {0u, 1u})
        expect_proof({.curve = GetParam(),
                      .constraints = rows - publics - 1 + extra,
                      .outputs = publics / 2,
                      .public_inputs = publics - publics / 2,
                      .private_inputs = 3,
                      .internal = 5,
                      .seed = rows + publics});
}

TEST_P(Setup, NothingButPublicsProves) {
  expect_proof(
      {.curve = GetParam(), .constraints = 4, .outputs = 4, .public_inputs = 2, .private_inputs = 0});
}

TEST_P(Setup, ALinearCircuitProves) {
  expect_proof({.curve = GetParam(),
                .constraints = 20,
                .outputs = 2,
                .private_inputs = 5,
                .internal = 10,
                .terms = 0});
}

TEST_P(Setup, WiresInNoConstraintProve) {
  expect_proof({.curve = GetParam(),
                .constraints = 3,
                .outputs = 1,
                .public_inputs = 9,
                .private_inputs = 40,
                .internal = 60});
}

TEST_P(Setup, RandomShapesProve) {
  std::mt19937_64 random(42);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    R1csRecipe recipe{.curve = GetParam(), .seed = seed};
    recipe.constraints = 1 + static_cast<std::uint32_t>(random() % 700);
    recipe.outputs = static_cast<std::uint32_t>(random() % 4);
    recipe.public_inputs = static_cast<std::uint32_t>(random() % 6);
    recipe.private_inputs = 1 + static_cast<std::uint32_t>(random() % 30);
    recipe.internal = static_cast<std::uint32_t>(random() % 700);
    recipe.terms = 1 + static_cast<std::uint32_t>(random() % 8);
    if (seed % 3 == 0) recipe.witness = testing::WitnessKind::mostly_bits;
    expect_proof(recipe);
  }
}

TEST_P(Setup, TheSameSeedGivesTheSameKeyAndAnotherSeedAnother) {
  const MadeCircuit circuit(
      {.curve = GetParam(), .constraints = 10, .outputs = 1, .private_inputs = 3, .internal = 6});
  const auto make = [&](const SetupOptions& options) {
    EXPECT_EQ(outcome(setup_insecure_dev(*circuit.r1cs, circuit.folder / "k.zkey", options)), "ok");
    return testing::read_text(circuit.folder / "k.zkey");
  };
  EXPECT_EQ(make({.seed = 1, .threads = 1}), make({.seed = 1, .threads = 3}));
  EXPECT_NE(make({.seed = 1}), make({.seed = 2}));
  EXPECT_NE(make({}), make({}));
}

TEST_P(Setup, AKeyThatCannotBeWrittenIsSaidSo) {
  const MadeCircuit circuit({.curve = GetParam()});
  EXPECT_EQ(outcome(setup_insecure_dev(*circuit.r1cs, circuit.folder / "no/such/folder.zkey", {})),
            "file_unwritable");
}

TEST(SetupDomain, IsTheSmallestThatHoldsEveryRow) {
  const auto log2 = [](std::uint32_t constraints, std::uint32_t publics) {
    return setup_domain_log2({.public_inputs = publics, .constraints = constraints});
  };
  EXPECT_EQ(log2(0, 0), 1);
  EXPECT_EQ(log2(1, 0), 1);
  EXPECT_EQ(log2(1, 1), 2);
  EXPECT_EQ(log2(3, 0), 2);
  EXPECT_EQ(log2(4, 0), 3);
  EXPECT_EQ(log2(300, 2), 9);
}

}  // namespace
}  // namespace penstock::groth16
