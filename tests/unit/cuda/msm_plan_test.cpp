// How sums are cut on the device: windows that hold every scalar, and plans that share tables.
#include "cuda/msm/msm_plan.hpp"

#include <gtest/gtest.h>

#include <array>

namespace penstock::msm {
namespace {

constexpr int scalar_bits[] = {254, 255};

TEST(MsmPlan, every_window_has_a_table_and_a_set_and_the_tables_are_within_the_limit) {
  for (const int bits : scalar_bits)
    for (int window = 4; window <= 22; ++window)
      for (int tables = 1; tables <= 64; ++tables) {
        const Plan plan = make_plan(bits, window, tables);
        EXPECT_LE(plan.tables, tables);
        EXPECT_GE(plan.tables * plan.sets, plan.windows);
        EXPECT_LT((plan.tables - 1) * plan.sets, plan.windows) << "a table that no window uses";
      }
}

TEST(MsmPlan, a_plan_for_a_witness_uses_the_same_tables_and_fits_what_was_made_for_the_resident_one) {
  constexpr std::uint64_t scalars = std::uint64_t{1} << 20;
  int chosen = 0;
  for (const int bits : scalar_bits)
    for (int window = 4; window <= 22; ++window)
      for (const int tables : {1, 2, 3, 5, 64})
        for (const std::uint64_t wide : {std::uint64_t{0}, scalars / 50, scalars / 2, scalars}) {
          const Plan resident = make_plan(bits, window, tables);
          const Plan plan = plan_for_witness(resident, bits, wide);
          chosen += plan.window_bits != resident.window_bits ? 1 : 0;
          EXPECT_EQ(plan.window_bits * plan.sets, resident.window_bits * resident.sets);
          EXPECT_EQ(plan.tables, resident.tables);
          EXPECT_GE(plan.tables * plan.sets, plan.windows);
          EXPECT_GE(plan.window_bits * plan.windows, bits) << "the last carry has no window";
          EXPECT_LE(plan.buckets(), resident.buckets());
        }
  EXPECT_GT(chosen, 50);
}

TEST(MsmPlan, bits_get_narrow_windows_and_full_width_scalars_keep_wide_ones) {
  const Plan resident = make_plan(254, 22, 64);
  constexpr std::uint64_t scalars = std::uint64_t{1} << 24;
  EXPECT_EQ(plan_for_witness(resident, 254, scalars).window_bits, 22);
  EXPECT_EQ(plan_for_witness(resident, 254, scalars / 50).window_bits, 11);
}

TEST(MsmPlan, a_chunk_fits_its_list_whatever_its_scalars_and_few_pairs_are_one_chunk) {
  for (const std::uint64_t scalars :
       {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 20, (std::uint64_t{1} << 27) - 1})
    for (const std::uint64_t capacity : {std::uint64_t{64}, std::uint64_t{1} << 16, std::uint64_t{1} << 26})
      for (const int window : {4, 7, 8, 11, 16, 22})
        for (const std::uint64_t wide : {std::uint64_t{0}, scalars / 50, scalars}) {
          const Plan plan = make_plan(254, window, 64);
          const std::uint64_t size = chunk_scalars(plan, scalars, wide, capacity);
          ASSERT_GT(size, 0u);
          ASSERT_LE(size, scalars);
          if (size < scalars) {
            EXPECT_LE(plan.most_pairs(size), capacity);
          } else if (window >= narrow_bits) {
            EXPECT_LE(plan.most_pairs(wide) + (scalars - wide), capacity);
          } else {
            EXPECT_LE(plan.most_pairs(scalars), capacity);
          }
        }
}

/// Digits of `value`, with the carry.
int digits_of(std::array<std::uint64_t, 4> value, const Plan& plan) {
  std::uint32_t carry = 0;
  int digits = 0;
  for (int j = 0; j < plan.windows; ++j)
    digits += signed_digit(value, plan.window_bits, j, carry) != 0 ? 1 : 0;
  EXPECT_EQ(carry, 0u);
  return digits;
}

TEST(MsmPlan, a_narrow_scalar_has_one_digit_at_most_in_every_plan_for_a_witness) {
  for (int window = narrow_bits; window <= 22; ++window) {
    const Plan plan = make_plan(254, window, 1);
    for (std::uint64_t value = 0; value < narrow_below; ++value)
      EXPECT_EQ(digits_of({value, 0, 0, 0}, plan), value == 0 ? 0 : 1);
  }
}

}  // namespace
}  // namespace penstock::msm
