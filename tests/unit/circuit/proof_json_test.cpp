#include "common/circuit/proof_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/circuit/curve_primes.hpp"
#include "common/circuit/limb_text.hpp"
#include "common/circuit/proving_key.hpp"
#include "tests/unit/circuit/vectors.hpp"

namespace penstock::circuit::testing {
namespace {

using Json = nlohmann::json;

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
      EXPECT_EQ(Json::parse(to_json(*publics)), Json::parse(text));
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

/// A verification key or proof with one member replaced.
std::string with(const std::string& text, const char* pointer, const Json& value) {
  auto json = Json::parse(text);
  json[Json::json_pointer(pointer)] = value;
  return json.dump();
}
std::string without(const std::string& text, const char* key) {
  auto json = Json::parse(text);
  json.erase(key);
  return json.dump();
}

struct Change {
  const char* pointer;
  Json value;
  const char* expected;
};

std::string decimal(const Json& json, int addend) {
  auto value = *limbs_from_text<6>(json.get<std::string>());
  value[0] += static_cast<std::uint64_t>(addend);
  return decimal_text(value);
}

TEST(ProofJson, EveryMalformedProofIsRefusedByName) {
  for (const auto curve : curves) {
    const auto text = vector_text(curve, "chain.proof.json");
    const auto json = Json::parse(text);
    const auto q = algebra::with_curve(
        curve, []<class C>(std::type_identity<C>) { return decimal_text(C::Fp::modulus()); });
    const Change changes[] = {
        {"/pi_a", nullptr, "bad_format"},
        {"/pi_a", Json::array(), "bad_format"},
        {"/pi_a", {"1", "2"}, "bad_format"},
        {"/pi_a", {"1", "2", "1", "1"}, "bad_format"},
        {"/pi_a/0", "", "bad_format"},
        {"/pi_a/0", "0x", "bad_format"},
        {"/pi_a/0", "-1", "bad_format"},
        {"/pi_a/0", " 1", "bad_format"},
        {"/pi_a/0", "1e5", "bad_format"},
        {"/pi_a/0", "12a", "bad_format"},
        {"/pi_a/0", 1.5, "bad_format"},
        {"/pi_a/0", -1, "bad_format"},
        {"/pi_a/0", true, "bad_format"},
        {"/pi_a/0", std::uint64_t{1} << 53, "bad_format"},
        {"/pi_a/0", std::string(600, '0'), "bad_format"},
        {"/pi_a/0", std::string(120, '9'), "bad_format"},
        {"/pi_a/0", q, "not_canonical"},
        {"/pi_a/0", "0x" + std::string(curve == CurveId::bn254 ? 64 : 96, 'f'), "not_canonical"},
        {"/pi_a/0", decimal(json["/pi_a/0"_json_pointer], 1), "point_off_curve"},
        {"/pi_a/1", decimal(json["/pi_a/1"_json_pointer], -1), "point_off_curve"},
        {"/pi_c/0", decimal(json["/pi_c/0"_json_pointer], 1), "point_off_curve"},
        {"/pi_b/0/0", decimal(json["/pi_b/0/0"_json_pointer], 1), "point_off_curve"},
        {"/pi_b/0", {json["/pi_b/0/1"_json_pointer], json["/pi_b/0/0"_json_pointer]}, "point_off_curve"},
        {"/pi_b/1/1", q, "not_canonical"},
        {"/pi_b/0", {"1"}, "bad_format"},
        {"/pi_b/0", {"1", "2", "3"}, "bad_format"},
        {"/pi_b/0", "1", "bad_format"},
        {"/pi_a/2", "0", "bad_format"},
        {"/pi_a/2", "2", "bad_format"},
        {"/pi_a/2", q, "not_canonical"},
        {"/pi_b/2/0", "0", "bad_format"},
        {"/pi_b/2/1", "1", "bad_format"},
        {"/pi_a", {"0", "0", "1"}, "point_off_curve"},
        {"/pi_a", {"0", "0", "0"}, "bad_format"},
        {"/pi_a", {"0", "2", "0"}, "bad_format"},
        {"/pi_a", {"1", "1", "0"}, "bad_format"},
        {"/protocol", "plonk", "unsupported_protocol"},
        {"/protocol", "Groth16", "unsupported_protocol"},
        {"/protocol", 1, "bad_format"},
        {"/curve", curve == CurveId::bn254 ? "bls12381" : "bn128", "curve_mismatch"},
        {"/curve", "bls12377", "curve_mismatch"},
        {"/curve", Json::array(), "bad_format"},
    };
    for (const auto& change : changes)
      EXPECT_EQ(outcome(proof_from_json(with(text, change.pointer, change.value), curve)), change.expected)
          << change.pointer << " = " << change.value;
    for (const char* key : {"pi_a", "pi_b", "pi_c"})
      EXPECT_EQ(outcome(proof_from_json(without(text, key), curve)), "bad_format") << key;
  }
}

TEST(ProofJson, CurveAndProtocolMayBeLeftOutAndPointsWrittenInHex) {
  for (const auto curve : curves) {
    const auto text = vector_text(curve, "chain.proof.json");
    EXPECT_EQ(outcome(proof_from_json(without(without(text, "curve"), "protocol"), curve)), "ok");
    EXPECT_EQ(outcome(proof_from_json(with(text, "/curve", std::string(name(curve))), curve)), "ok");
    EXPECT_EQ(outcome(proof_from_json(with(text, "/pi_a/2", "0x1"), curve)), "ok");
    EXPECT_EQ(outcome(proof_from_json(with(text, "/pi_a/2", 1), curve)), "ok");
    EXPECT_EQ(outcome(proof_from_json(with(text, "/pi_a", {"0", "1", "0"}), curve)), "ok");
    EXPECT_EQ(outcome(proof_from_json(with(text, "/pi_b", Json::parse(R"([["0","0"],["1","0"],["0","0"]])")),
                                      curve)),
              "ok");
    EXPECT_EQ(outcome(proof_from_json(with(text, "/surplus", "x"), curve)), "ok");
  }
}

TEST(ProofJson, InfinityIsWrittenAsSnarkjsWritesIt) {
  Proof<algebra::Bn254> proof{algebra::Bn254::G1::infinity(), algebra::Bn254::G2::infinity(),
                              algebra::Bn254::G1::infinity()};
  const auto json = Json::parse(to_json(AnyProof(proof)));
  EXPECT_EQ(json["pi_a"], Json({"0", "1", "0"}));
  EXPECT_EQ(json["pi_b"], Json::parse(R"([["0","0"],["1","0"],["0","0"]])"));
  const auto back = proof_from_json(to_json(AnyProof(proof)), CurveId::bn254);
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(std::get<Proof<algebra::Bn254>>(*back).b.is_infinity());
}

TEST(ProofJson, PointsOutsideTheSubgroupAreRefused) {
  using Bls = algebra::Bls12_381;
  const auto text = vector_text(Bls::id, "chain.proof.json");
  EXPECT_EQ(outcome(proof_from_json(with(text, "/pi_a", {"0", "2", "1"}), Bls::id)), "point_not_in_subgroup");
  EXPECT_EQ(outcome(proof_from_json(with(text, "/pi_c", {"0", "2", "1"}), Bls::id)), "point_not_in_subgroup");
  const auto key = vector_text(Bls::id, "chain.vk.json");
  EXPECT_EQ(outcome(verification_key_from_json(with(key, "/vk_alpha_1", {"0", "2", "1"}))),
            "point_not_in_subgroup");
  EXPECT_EQ(outcome(verification_key_from_json(with(key, "/IC/1", {"0", "2", "1"}))),
            "point_not_in_subgroup");
}

TEST(ProofJson, EveryMalformedPublicIsRefusedByName) {
  for (const auto curve : curves) {
    const auto r = decimal_text(scalar_modulus(curve));
    const struct {
      std::string text;
      const char* expected;
    } rows[] = {
        {"[]", "ok"},
        {"[\"0\"]", "ok"},
        {"[\"0x21\", 33, \"000033\"]", "ok"},
        {"[\"" + r + "\"]", "not_canonical"},
        {"[\"0\", \"0x" + std::string(64, 'f') + "\"]", "not_canonical"},
        {"[\"0x1" + std::string(64, '0') + "\"]", "bad_format"},
        {"[\"" + std::string(100, '9') + "\"]", "bad_format"},
        {"[-1]", "bad_format"},
        {"[1e999]", "bad_format"},
        {"[-1e999]", "bad_format"},
        {"[123456789012345678901234567890]", "bad_format"},
        {"[1.0]", "bad_format"},
        {"[9007199254740992]", "bad_format"},
        {"[null]", "bad_format"},
        {"[\"\"]", "bad_format"},
        {"[[\"1\"]]", "bad_format"},
        {"{}", "bad_format"},
        {"\"1\"", "bad_format"},
        {"", "bad_format"},
        {"[", "bad_format"},
        {"[\"1\"] x", "bad_format"},
        {"[\"1\",]", "bad_format"},
    };
    for (const auto& row : rows)
      EXPECT_EQ(outcome(publics_from_json(row.text, curve)), row.expected) << row.text;
  }
}

TEST(ProofJson, EveryMalformedVerificationKeyIsRefusedByName) {
  for (const auto curve : curves) {
    const auto text = vector_text(curve, "chain.vk.json");
    const auto json = Json::parse(text);
    const auto infinity1 = Json({"0", "1", "0"});
    const auto infinity2 = Json::parse(R"([["0","0"],["1","0"],["0","0"]])");
    const Change changes[] = {
        {"/protocol", "plonk", "unsupported_protocol"},
        {"/protocol", "fflonk", "unsupported_protocol"},
        {"/protocol", nullptr, "bad_format"},
        {"/curve", "secp256k1", "curve_mismatch"},
        {"/nPublic", 1, "size_mismatch"},
        {"/nPublic", 3, "size_mismatch"},
        {"/nPublic", -1, "bad_format"},
        {"/nPublic", "2", "bad_format"},
        {"/nPublic", 2.0, "bad_format"},
        {"/nPublic", UINT64_MAX, "size_mismatch"},
        {"/IC", Json::array(), "bad_format"},
        {"/IC", "x", "bad_format"},
        {"/IC/0", nullptr, "bad_format"},
        {"/IC/2/0", decimal(json["/IC/2/0"_json_pointer], 1), "point_off_curve"},
        {"/IC/1", infinity1, "ok"},
        {"/vk_alpha_1", infinity1, "point_off_curve"},
        {"/vk_beta_2", infinity2, "point_off_curve"},
        {"/vk_gamma_2", infinity2, "point_off_curve"},
        {"/vk_delta_2", infinity2, "point_off_curve"},
        {"/vk_gamma_2/0/0", decimal(json["/vk_gamma_2/0/0"_json_pointer], 1), "point_off_curve"},
        {"/vk_alphabeta_12", nullptr, "ok"},
    };
    for (const auto& change : changes)
      EXPECT_EQ(outcome(verification_key_from_json(with(text, change.pointer, change.value))),
                change.expected)
          << change.pointer << " = " << change.value;
    for (const char* key :
         {"protocol", "curve", "nPublic", "IC", "vk_alpha_1", "vk_beta_2", "vk_gamma_2", "vk_delta_2"})
      EXPECT_EQ(outcome(verification_key_from_json(without(text, key))), "bad_format") << key;
    EXPECT_EQ(outcome(verification_key_from_json(without(text, "vk_alphabeta_12"))), "ok");
  }
}

TEST(ProofJson, HostileNestingAndSizeAreRefusedBeforeParsing) {
  const std::string deep(60'000'000, '[');
  const std::string deep_object = [] {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "{\"a\":";
    return text;
  }();
  for (const auto* text : {&deep, &deep_object}) {
    EXPECT_FALSE(proof_from_json(*text, CurveId::bn254).ok());
    EXPECT_EQ(outcome(publics_from_json(*text, CurveId::bn254)), "bad_format");
    EXPECT_EQ(outcome(verification_key_from_json(*text)), "bad_format");
  }
  EXPECT_EQ(outcome(proof_from_json(std::string(1 << 20, ' '), CurveId::bn254)), "body_too_large");
  EXPECT_EQ(outcome(proof_from_json("\"[[[[[[[[[[[[\"", CurveId::bn254)), "bad_format")
      << "brackets in a string";
  EXPECT_EQ(outcome(proof_from_json("\xff\xfe", CurveId::bn254)), "bad_format");
}

TEST(ProofJson, ForeignTextInAnErrorIsShortAndPrintable) {
  const auto text = vector_text(CurveId::bn254, "chain.vk.json");
  std::string long_name = "a\n\x01";
  for (int i = 0; i < 100; ++i) long_name += "\xC3\xA9";
  for (const char* pointer : {"/protocol", "/curve"}) {
    const auto result = verification_key_from_json(with(text, pointer, long_name));
    ASSERT_FALSE(result.ok());
    EXPECT_LT(result.error().what.size(), 200U);
    EXPECT_TRUE(std::ranges::all_of(result.error().what, [](char c) { return c >= 0x20 && c <= 0x7E; }));
  }
}

TEST(ProofJson, EveryTextCutAnywhereIsRefused) {
  for (const auto curve : curves) {
    const auto proof = without_end_of_line(vector_text(curve, "mul.proof.json"));
    const auto key = without_end_of_line(vector_text(curve, "mul.vk.json"));
    for (std::size_t size = 0; size < proof.size(); ++size)
      ASSERT_EQ(outcome(proof_from_json(proof.substr(0, size), curve)), "bad_format") << size;
    for (std::size_t size = 0; size < key.size(); size += 7)
      ASSERT_EQ(outcome(verification_key_from_json(key.substr(0, size))), "bad_format") << size;
  }
}

TEST(ScalarText, ReadsDecimalAndHexAndWritesDecimal) {
  EXPECT_EQ(scalar_from_text("0"), (Scalar{}));
  EXPECT_EQ(scalar_from_text("0x10"), (Scalar{16}));
  EXPECT_EQ(scalar_from_text("18446744073709551616"), (Scalar{0, 1}));
  EXPECT_EQ(
      scalar_from_text("115792089237316195423570985008687907853269984665640564039457584007913129639935"),
      (Scalar{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}));
  EXPECT_FALSE(
      scalar_from_text("115792089237316195423570985008687907853269984665640564039457584007913129639936"));
  for (const char* text : {"", "x", "0x", "1 ", "+1", "-1", "0xg", "1.0",
                           "0x1"
                           "0000000000000000000000000000000000000000000000000000000000000000"})
    EXPECT_FALSE(scalar_from_text(text)) << text;
  for (const char* text : {"0", "9", "10000000000000000000", "9999999999999999999", "100000000000000000000",
                           "10000000000000000000000000000000000000001"})
    EXPECT_EQ(to_decimal(*scalar_from_text(text)), text);
}

TEST(ProofJson, Eip2537CalldataHoldsPaddedLimbsInOrder) {
  using C = algebra::Bls12_381;
  const Proof<C> proof{C::g1_generator(), C::g2_generator(), C::g1_generator()};
  const auto text = to_calldata(AnyProof(proof), {{33}}, CalldataFormat::eip2537);
  const std::string zeros(32, '0');
  const auto x = C::g1_generator().x.to_limbs();
  EXPECT_EQ(text.find("\"0x" + zeros + hex_text(x, 96)), 0U);
  EXPECT_EQ(text.find("\",\"0x" + zeros + hex_text(C::g2_generator().x.c0.to_limbs(), 96) + zeros +
                      hex_text(C::g2_generator().x.c1.to_limbs(), 96)),
            3U + 256);
  EXPECT_EQ(text.size(), 2 * (4 + 256) + (4 + 512) + 3 + 2 + 68);
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
