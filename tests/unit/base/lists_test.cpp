// The lists of names: complete, unique, and back again. What is on the wire is checked in unit/wire.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/base/curve_id.hpp"
#include "common/base/error.hpp"
#include "common/base/phase.hpp"

namespace penstock {
namespace {

template <class Names>
void expect_labels(const Names& names) {
  std::set<std::string_view> unique;
  for (const std::string_view label : names) {
    EXPECT_TRUE(unique.insert(label).second) << label << " occurs twice";
    EXPECT_FALSE(label.empty());
    EXPECT_TRUE(std::all_of(label.begin(), label.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    })) << label;
  }
}

TEST(Lists, labels_are_unique_snake_case) {
  expect_labels(phase_names);
  expect_labels(error_code_names);
  expect_labels(curve_names);
}

TEST(Lists, every_phase_is_found_by_its_label) {
  for (std::size_t i = 0; i < phase_count; ++i) {
    const auto phase = static_cast<Phase>(i);
    EXPECT_EQ(phase_from(name(phase)), phase);
  }
  EXPECT_EQ(phase_from("Msm_h"), std::nullopt);
}

// The first and the last of each service, so that an enumerator out of line with its label is noticed.
TEST(Lists, enumerators_are_their_labels) {
  EXPECT_EQ(name(Phase::admit), "admit");
  EXPECT_EQ(name(Phase::reply), "reply");
  EXPECT_EQ(name(Phase::compile), "compile");
  EXPECT_EQ(name(Phase::stage), "stage");
  EXPECT_EQ(name(Phase::circuit_wait), "circuit_wait");
  EXPECT_EQ(name(Phase::digits), "digits");
  EXPECT_EQ(name(Phase::msm_b2), "msm_b2");
  EXPECT_EQ(name(Phase::result), "result");
  EXPECT_EQ(name(ErrorCode::file_truncated), "file_truncated");
  EXPECT_EQ(name(ErrorCode::wrong_prime), "wrong_prime");
  EXPECT_EQ(name(ErrorCode::witness_unsatisfied), "witness_unsatisfied");
  EXPECT_EQ(name(ErrorCode::body_too_large), "body_too_large");
  EXPECT_EQ(name(ErrorCode::deadline), "deadline");
  EXPECT_EQ(name(ErrorCode::internal), "internal");
  EXPECT_EQ(name(ErrorCode::not_found), "not_found");
}

TEST(Lists, every_error_code_is_found_by_its_label) {
  for (std::size_t i = 0; i < error_code_names.size(); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(error_code_from(name(code)), code);
  }
  EXPECT_EQ(error_code_from("unheard_of"), std::nullopt);
}

TEST(Lists, curves_go_by_both_names) {
  EXPECT_EQ(curve_from("bn128"), CurveId::bn254);
  EXPECT_EQ(curve_from("bls12_381"), CurveId::bls12_381);
  EXPECT_EQ(curve_from("bls12381"), CurveId::bls12_381);
  EXPECT_EQ(curve_from("secp256k1"), std::nullopt);
  EXPECT_EQ(snarkjs_name(CurveId::bn254), "bn128");
}

}  // namespace
}  // namespace penstock
