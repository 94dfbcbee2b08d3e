// How a circuit's memory on the device is divided: pure arithmetic, tested on the CPU.
// The points of a key are five queries. H has its own scalars, plan and tables; A, B1, B2 and C share the
// witness, hence one plan and one table stride. Tables for H come first: its scalars are always full-width.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/msm/msm_plan.hpp"

namespace penstock::cuda {

struct CircuitPlan {
  msm::Plan quotient, witness;
  std::uint64_t point_bytes = 0;  ///< of all queries with their tables
};

struct QuerySizes {
  int scalar_bits = 0;
  std::uint64_t domain = 0, variables = 0;
  std::uint64_t g1_bytes = 0, g2_bytes = 0;
};

/// The most copies of `bytes_each` that `budget` holds, at least one and at most a window's worth.
[[nodiscard]] constexpr int copies_within(std::uint64_t budget, std::uint64_t bytes_each) {
  if (bytes_each == 0) return 64;
  return static_cast<int>(std::clamp<std::uint64_t>(budget / bytes_each, 1, 64));
}

[[nodiscard]] constexpr CircuitPlan plan_circuit(const QuerySizes& sizes, std::uint64_t table_budget_bytes) {
  const std::uint64_t h_bytes = sizes.domain * sizes.g1_bytes;
  const std::uint64_t w_bytes = sizes.variables * (3 * sizes.g1_bytes + sizes.g2_bytes);
  CircuitPlan plan;
  // H takes what it wants of half the budget, the points of the others aside; these take what is left.
  const std::uint64_t beside = table_budget_bytes > w_bytes ? table_budget_bytes - w_bytes : 0;
  plan.quotient = msm::plan_msm(sizes.scalar_bits, sizes.domain, sizes.domain,
                                copies_within(std::min(table_budget_bytes / 2, beside), h_bytes));
  const std::uint64_t used = h_bytes * static_cast<std::uint64_t>(plan.quotient.tables);
  const std::uint64_t left = used < table_budget_bytes ? table_budget_bytes - used : 0;
  plan.witness =
      msm::plan_msm(sizes.scalar_bits, sizes.variables, sizes.variables, copies_within(left, w_bytes));
  plan.point_bytes = used + w_bytes * static_cast<std::uint64_t>(plan.witness.tables);
  return plan;
}

}  // namespace penstock::cuda
