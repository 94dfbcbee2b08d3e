// Window size of a multi-scalar multiplication: pure arithmetic over a cost model in field products.
// Shape: signed windows of `window_bits` cover |scalar| < r/2, the last one by its overflow too.
// The model's constants were measured by `tests/bench` (README of this folder, decision 3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/base/curve_id.hpp"

namespace penstock::groth16 {

/// How many scalars have which bit length, after folding s > r/2 to -(r - s). [0] counts zeros.
struct BitLengths {
  std::array<std::uint64_t, 257> count{};
  void add(const BitLengths& other) {
    for (std::size_t i = 0; i < count.size(); ++i) count[i] += other.count[i];
  }
  /// Scalars of at least this many bits.
  [[nodiscard]] std::uint64_t at_least(int bits) const;
};

struct MsmPlan {
  int window_bits = 1;
  int windows = 1;
  [[nodiscard]] std::size_t buckets() const { return std::size_t{1} << (window_bits - 1); }
};

inline constexpr int max_window_bits = 20;

/// `folded_bits`: bit length of r/2's floor, plus one for the sign (254 for BN254, 255 for BLS12-381).
[[nodiscard]] MsmPlan plan_with_window(int window_bits, int folded_bits);
/// The cheapest plan. Windows that only few scalars reach are charged for those scalars only.
[[nodiscard]] MsmPlan plan_msm(const BitLengths& lengths, int folded_bits);
/// Windows that are sorted and summed at a time: about 1 MiB of entries a thread.
[[nodiscard]] int windows_per_build(int threads, std::uint64_t entries_per_window, int windows);
/// The plan for `scalars` full-width ones over a fixed-base table (point_table.hpp), where the windows of a
/// build share one set of buckets; nothing where that is not cheaper than to have no table.
[[nodiscard]] std::optional<MsmPlan> plan_table(std::uint64_t scalars, int folded_bits, int threads);
[[nodiscard]] int folded_scalar_bits(CurveId curve);

/// Few entries: plain XYZZ buckets are cheaper than batches that share an inversion.
[[nodiscard]] bool is_cheaper_serially(std::uint64_t entries, std::size_t buckets);

}  // namespace penstock::groth16
