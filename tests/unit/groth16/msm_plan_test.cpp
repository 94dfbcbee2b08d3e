#include "common/groth16/msm_plan.hpp"

#include <gtest/gtest.h>

namespace penstock::groth16 {
namespace {

BitLengths all_of_length(std::size_t bits, std::uint64_t count) {
  BitLengths lengths;
  lengths.count[bits] = count;
  return lengths;
}

TEST(MsmPlan, WindowsCoverTheSignedScalar) {
  for (int bits = 1; bits <= max_window_bits; ++bits)
    for (const int folded : {254, 255}) {
      const MsmPlan plan = plan_with_window(bits, folded);
      EXPECT_GE(plan.window_bits * plan.windows, folded);
      EXPECT_LT(plan.window_bits * (plan.windows - 1), folded);
    }
}

TEST(MsmPlan, MoreFullWidthScalarsMeanWiderWindows) {
  int before = 0;
  for (int log2 = 2; log2 <= 24; log2 += 2) {
    const int bits = plan_msm(all_of_length(253, std::uint64_t{1} << log2), 254).window_bits;
    EXPECT_GE(bits, before) << log2;
    before = bits;
  }
  EXPECT_GE(before, 14);
}

TEST(MsmPlan, TheWidthFollowsTheFullWidthScalarsNotTheirNumber) {
  BitLengths mostly_bits = all_of_length(1, 980'000);
  mostly_bits.count[0] = 980'000;
  mostly_bits.count[253] = 40'000;
  EXPECT_LE(plan_msm(mostly_bits, 254).window_bits, plan_msm(all_of_length(253, 80'000), 254).window_bits);
}

TEST(MsmPlan, FewEntriesDoNotPayForABatch) {
  EXPECT_TRUE(is_cheaper_serially(1, 4));
  EXPECT_TRUE(is_cheaper_serially(50, 8));
  EXPECT_FALSE(is_cheaper_serially(10'000, 512));
}

TEST(MsmPlan, KnowsHowWideFoldedScalarsAre) {
  EXPECT_EQ(folded_scalar_bits(CurveId::bn254), 254);
  EXPECT_EQ(folded_scalar_bits(CurveId::bls12_381), 255);
}

TEST(MsmPlan, ATableIsMadeOnlyWhereItPays) {
  for (const int threads : {1, 2, 8, 64})
    for (int log2 = 1; log2 <= 24; ++log2)
      if (const auto plan = plan_table(std::uint64_t{1} << log2, 254, threads)) {
        EXPECT_GE(plan->window_bits * plan->windows, 254);
        EXPECT_GE(windows_per_build(threads, std::uint64_t{1} << log2, plan->windows), 2) << log2;
      }
  EXPECT_TRUE(plan_table(1 << 16, 254, 2).has_value());
  EXPECT_FALSE(plan_table(1 << 22, 254, 2).has_value());  // a window a build: nothing is shared
}

}  // namespace
}  // namespace penstock::groth16
