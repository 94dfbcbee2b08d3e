#include "common/circuit/proof_json.hpp"

#include <nlohmann/json.hpp>

#include "common/circuit/proving_key.hpp"
#include "tests/unit/circuit/vectors.hpp"

namespace penstock::circuit::testing {
namespace {

std::string without_end_of_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

TEST(ProofJson, EverySnarkjsProofReadsAndWritesBackByteForByte) {
  for (const auto curve : curves)
    for (const auto circuit : circuits) {
      const auto text = vector_text(curve, std::string(circuit) + ".proof.json");
      const auto proof = proof_from_json(text, curve);
      ASSERT_TRUE(proof.ok()) << circuit << to_string(proof.error());
      EXPECT_EQ(to_json(*proof), without_end_of_line(text));
    }
}

TEST(ProofJson, EverySnarkjsPublicFileReadsAndWritesBackTheSameValues) {
  for (const auto curve : curves)
    for (const auto circuit : circuits) {
      const auto text = vector_text(curve, std::string(circuit) + ".public.json");
      const auto publics = publics_from_json(text, curve);
      ASSERT_TRUE(publics.ok()) << circuit << to_string(publics.error());
      EXPECT_EQ(nlohmann::json::parse(to_json(*publics)), nlohmann::json::parse(text));
    }
}

TEST(ProofJson, EverySnarkjsVerificationKeyReadsAndWritesBackWithItsPairing) {
  for (const auto curve : curves)
    for (const auto circuit : circuits) {
      const auto text = vector_text(curve, std::string(circuit) + ".vk.json");
      const auto key = verification_key_from_json(text);
      ASSERT_TRUE(key.ok()) << circuit << to_string(key.error());
      EXPECT_EQ(to_json(*key), without_end_of_line(text));
    }
}

TEST(ProofJson, TheKeyFileHoldsTheVerificationKey) {
  for (const auto curve : curves)
    for (const auto circuit : circuits) {
      const auto key = ProvingKey::open(vector_path(curve, std::string(circuit) + ".zkey"));
      ASSERT_TRUE(key.ok()) << to_string(key.error());
      const auto text = vector_text(curve, std::string(circuit) + ".vk.json");
      EXPECT_EQ(to_json((*key)->verification_key()), without_end_of_line(text));
    }
}

TEST(ProofJson, CalldataIsByteEqualToSnarkjss) {
  for (const auto curve : curves)
    for (const auto circuit : circuits) {
      const auto proof = proof_from_json(vector_text(curve, std::string(circuit) + ".proof.json"), curve);
      const auto publics =
          publics_from_json(vector_text(curve, std::string(circuit) + ".public.json"), curve);
      ASSERT_TRUE(proof.ok() && publics.ok());
      EXPECT_EQ(to_calldata(*proof, *publics, CalldataFormat::snarkjs),
                without_end_of_line(vector_text(curve, std::string(circuit) + ".calldata")));
    }
}

}  // namespace
}  // namespace penstock::circuit::testing
