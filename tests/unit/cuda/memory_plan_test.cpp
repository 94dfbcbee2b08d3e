// How transforms are cut into passes, and a circuit's memory into tables.
#include <gtest/gtest.h>

#include <vector>

#include "cuda/groth16/circuit_plan.hpp"
#include "cuda/ntt/ntt_plan.hpp"

namespace penstock {
namespace {

TEST(NttPlan, the_passes_work_every_level_once_and_a_tile_is_never_wider_than_shared_memory) {
  for (int log2n = 1; log2n <= 28; ++log2n) {
    const ntt::Plan plan = ntt::plan_transform(log2n, log2n);
    int stage = 0;
    ASSERT_LE(plan.passes, ntt::max_passes);
    for (int i = 0; i < plan.passes; ++i) {
      const ntt::Pass& pass = plan.pass[static_cast<std::size_t>(i)];
      EXPECT_EQ(pass.first_stage, stage);
      EXPECT_LE(pass.stages, pass.tile_log2);
      EXPECT_LE(pass.tile_log2, ntt::max_tile_log2);
      stage += pass.stages;
    }
    EXPECT_EQ(stage, log2n);
  }
}

TEST(NttPlan, the_tiles_of_a_pass_hold_every_element_once) {
  for (int log2n = 1; log2n <= 19; ++log2n) {
    const ntt::Plan plan = ntt::plan_transform(log2n, log2n);
    for (int i = 0; i < plan.passes; ++i) {
      const ntt::Pass& pass = plan.pass[static_cast<std::size_t>(i)];
      std::vector<bool> seen(std::size_t{1} << log2n, false);
      for (std::uint32_t tile = 0; tile < pass.tiles(); ++tile)
        for (std::uint32_t t = 0; t < (1u << pass.tile_log2); ++t) {
          const std::uint32_t element = pass.element(tile, t);
          ASSERT_LT(element, seen.size());
          ASSERT_FALSE(seen[element]) << "size 2^" << log2n << ", pass " << i;
          seen[element] = true;
        }
    }
  }
}

TEST(CircuitPlan, tables_stay_within_the_budget_or_there_are_none) {
  for (int log2 = 1; log2 <= 27; ++log2)
    for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{1} << 30, std::uint64_t{50} << 30}) {
      const std::uint64_t n = std::uint64_t{1} << log2;
      const cuda::CircuitPlan plan = cuda::plan_circuit({254, n, n, 64, 128}, budget);
      const std::uint64_t raw = n * 64 + n * (3 * 64 + 128);
      EXPECT_LE(plan.point_bytes, std::max(budget, raw)) << "2^" << log2;
      for (const msm::Plan& part : {plan.quotient, plan.witness}) {
        EXPECT_GT(part.windows, 0) << "2^" << log2;
        EXPECT_LT(static_cast<std::uint64_t>(part.tables) * n, msm::sign_bit) << "a point has no number";
      }
    }
}

}  // namespace
}  // namespace penstock
