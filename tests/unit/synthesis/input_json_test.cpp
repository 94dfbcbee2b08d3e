#include "services/synthesis/witness/input_json.hpp"

#include <gmpxx.h>

#include <random>

#include "common/circuit/curve_primes.hpp"
#include "support.hpp"

namespace penstock::synthesis {
namespace {

const FieldLimbs bn254 = circuit::scalar_modulus(CurveId::bn254);

mpz_class to_mpz(const FieldLimbs& limbs) {
  mpz_class value;
  mpz_import(value.get_mpz_t(), limbs.size(), -1, sizeof(limbs[0]), 0, 0, limbs.data());
  return value;
}

/// The one value of {"a": JSON}, reduced, as decimal text.
std::string value_of(const std::string& json) {
  const std::string text = "{\"a\": " + json + "}";
  const auto signals = parse_input_json(text);
  if (!signals.ok()) return to_string(signals.error());
  if (signals->size() != 1 || (*signals)[0].values.size() != 1) return "not one value";
  return to_mpz(reduce((*signals)[0].values[0], bn254).value).get_str();
}

std::string error_of(const std::string& text) {
  const auto signals = parse_input_json(text);
  return signals.ok() ? "accepted" : std::string(name(signals.error().code)) + ": " + signals.error().what;
}

TEST(InputJson, TakesEveryFormThatTheFormatAllows) {
  const std::string minus_one = mpz_class(to_mpz(bn254) - 1).get_str();
  EXPECT_EQ(value_of("0"), "0");
  EXPECT_EQ(value_of("7"), "7");
  EXPECT_EQ(value_of("-1"), minus_one);
  EXPECT_EQ(value_of("9007199254740991"), "9007199254740991");
  EXPECT_EQ(value_of("\"7\""), "7");
  EXPECT_EQ(value_of("\"0007\""), "7");
  EXPECT_EQ(value_of("\"-1\""), minus_one);
  EXPECT_EQ(value_of("\"-0\""), "0");
  EXPECT_EQ(value_of("\"0x1f\""), "31");
  EXPECT_EQ(value_of("\"0X1F\""), "31");
  EXPECT_EQ(value_of("\"0x0\""), "0");
  EXPECT_EQ(value_of("\"" + minus_one + "\""), minus_one);
}

TEST(InputJson, FlattensNestedArraysRowByRow) {
  const std::string text = R"({"m": [[1, 2], ["3", [4]]], "e": [], "s": 5})";
  const auto signals = parse_input_json(text);
  ASSERT_TRUE(signals.ok());
  ASSERT_EQ(signals->size(), 3U);
  EXPECT_EQ((*signals)[0].values.size(), 4U);
  EXPECT_EQ((*signals)[1].values.size(), 0U);
  EXPECT_EQ((*signals)[2].name, "s");
  EXPECT_EQ(reduce((*signals)[0].values[3], bn254).value[0], 4U);
}

TEST(InputJson, NamesTheFieldsOfBuses) {
  const std::string text = R"({"p": {"x": 1, "y": [2, 3]}, "q": [{"x": 4}, {"x": 5}]})";
  const auto signals = parse_input_json(text);
  ASSERT_TRUE(signals.ok());
  std::vector<std::string> names;
  for (const auto& signal : *signals) names.push_back(signal.name);
  EXPECT_EQ(names, (std::vector<std::string>{"p.x", "p.y", "q[0].x", "q[1].x"}));
}

TEST(InputJson, RefusesByNameWhatCircomsCalculatorLosesSilently) {
  for (const char* bad : {"9007199254740992",
                          "-9007199254740992",
                          "1.0",
                          "1e3",
                          "true",
                          "false",
                          "null",
                          "\"\"",
                          "\"1.5\"",
                          "\" 1\"",
                          "\"1 \"",
                          "\"+1\"",
                          "\"0b1\"",
                          "\"0o7\"",
                          "\"0x\"",
                          "\"-0x1\"",
                          "\"abc\"",
                          "\"-\"",
                          "\"\\u0031\"",
                          "12345678901234567890123"}) {
    const std::string error = error_of(std::string("{\"key\": [1, ") + bad + "]}");
    EXPECT_TRUE(error.starts_with("signal_value: signal key[1]")) << bad << " -> " << error;
  }
}

TEST(InputJson, NeverQuotesAValue) {
  for (const char* bad : {"\"7777secret\"", "77777777777777777777777", "77777.5"})
    EXPECT_EQ(error_of(std::string("{\"a\": ") + bad + "}").find("7777"), std::string::npos) << bad;
}

TEST(InputJson, RefusesWhatIsNoStrictJson) {
  for (const char* bad : {"",
                          "{",
                          "[]",
                          "3",
                          "\"a\"",
                          "{\"a\" 1}",
                          "{\"a\": 1,}",
                          "{\"a\": [1,]}",
                          "{\"a\": 01}",
                          "{\"a\": 1} x",
                          "{a: 1}",
                          "{\"a\": 'x'}",
                          "{\"a\": \"1}",
                          "{\"a\": -}",
                          "{\"a\": 1.}",
                          "{\"a\": 1e}",
                          "{\"a\": tru}",
                          "{\"\\q\": 1}",
                          "{\"a\nb\": 1}",
                          "{\"\\ud800\": 1}",
                          "{\"a\": nul",
                          "\xff\xfe{}"})
    EXPECT_TRUE(error_of(bad).starts_with("bad_format")) << bad << " -> " << error_of(bad);
}

TEST(InputJson, NamesASignalThatIsGivenTwice) {
  EXPECT_EQ(error_of(R"({"a": 1, "b": 2, "a": 3})"), "signal_surplus: signal a is given twice");
  // "\u0061" is "a".
  EXPECT_EQ(error_of(R"({"a": 1, "\u0061": 3})"), "signal_surplus: signal a is given twice");
}

TEST(InputJson, BoundsDepthAndDigits) {
  const std::string deep(100'000, '[');
  EXPECT_TRUE(error_of("{\"a\": " + deep).starts_with("bad_format: nested too deeply"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(error_of(objects).starts_with("bad_format: nested too deeply"));
  EXPECT_TRUE(error_of("{\"a\": \"" + std::string(1025, '1') + "\"}").starts_with("signal_value"));
  // Leading zeros do not count.
  EXPECT_EQ(value_of("\"" + std::string(5000, '0') + "12\""), "12");
}

TEST(InputJson, EveryPrefixOfAnInputIsRefused) {
  const std::string text = R"({"a": [1, "0x2", -3], "b": {"c": "4"}})";
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(error_of(text.substr(0, size)), "accepted") << size;
}

TEST(InputValue, IsReducedAsGmpReducesIt) {
  std::mt19937_64 random(1);
  gmp_randclass gmp(gmp_randinit_default);
  gmp.seed(7);
  for (const CurveId curve : {CurveId::bn254, CurveId::bls12_381}) {
    const FieldLimbs modulus = circuit::scalar_modulus(curve);
    const mpz_class prime = to_mpz(modulus);
    std::vector<mpz_class> values = {0, 1, prime - 1, prime, prime + 1, prime * 2, mpz_class(1) << 256};
    for (int i = 0; i < 200; ++i) values.push_back(gmp.get_z_bits(1 + random() % 3300));
    for (const mpz_class& value : values) {
      for (const int base : {10, 16}) {
        const std::string digits = value.get_str(base);
        InputValue input{digits.data(), static_cast<std::uint16_t>(digits.size()), false, base == 16};
        const Reduced reduced = reduce(input, modulus);
        EXPECT_EQ(to_mpz(reduced.value), value % prime);
        EXPECT_EQ(reduced.was_reduced, value >= prime);
        input.negative = true;
        EXPECT_EQ(to_mpz(reduce(input, modulus).value), (prime - value % prime) % prime);
      }
    }
  }
}

}  // namespace
}  // namespace penstock::synthesis
