// How a multi-scalar multiplication is cut: pure arithmetic, tested on the CPU.
// A scalar s becomes min(s, r - s) with a sign and then `windows` signed digits of `window_bits`. Window
// j = q·sets + t uses table q (the points times 2^(window_bits·sets·q)) and bucket set t: with tables for
// every window there is one set, with none there are `windows` sets, and in between memory buys bucket
// reductions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/host_device.hpp"

namespace penstock::msm {

struct Plan {
  int window_bits = 0;
  int windows = 0;
  int sets = 0;    ///< bucket sets
  int tables = 0;  ///< copies of the points, the points themselves included

  [[nodiscard]] PENSTOCK_HD constexpr std::uint32_t buckets_per_set() const {
    return 1u << (window_bits - 1);
  }
  [[nodiscard]] PENSTOCK_HD constexpr std::uint32_t buckets() const {
    return buckets_per_set() * static_cast<std::uint32_t>(sets);
  }
  [[nodiscard]] constexpr int key_bits() const {
    int bits = 1;
    while ((std::uint64_t{1} << bits) < buckets()) ++bits;
    return bits;
  }
  [[nodiscard]] constexpr std::uint64_t most_pairs(std::uint64_t scalars) const {
    return scalars * static_cast<std::uint64_t>(windows);
  }
};

/// Windows that hold any value below 2^(scalar_bits - 1), the last carry included.
[[nodiscard]] constexpr int window_count(int scalar_bits, int window_bits) {
  return (scalar_bits - 1) / window_bits + 1;
}

/// A pair's value: the sign above table·n + index in 31 bits.
inline constexpr std::uint32_t sign_bit = 1u << 31;

/// REQUIRES: 2 <= window_bits <= 24, 1 <= tables.
[[nodiscard]] constexpr Plan make_plan(int scalar_bits, int window_bits, int tables) {
  Plan plan;
  plan.window_bits = window_bits;
  plan.windows = window_count(scalar_bits, window_bits);
  plan.sets = (plan.windows + tables - 1) / tables;
  plan.tables = (plan.windows + plan.sets - 1) / plan.sets;
  return plan;
}

/// The cheapest plan by the number of point additions: one per pair, and about 3 per bucket for the reduction
/// (two running sums and the latency of its small levels, measured in tests/bench). `full_scalars` is how
/// many scalars are expected to be full-width. `most_tables` is what the memory allows.
[[nodiscard]] constexpr Plan plan_msm(int scalar_bits, std::uint64_t full_scalars, std::uint64_t points,
                                      int most_tables) {
  Plan best;
  double best_cost = 0;
  for (int bits = 4; bits <= 22; ++bits) {
    Plan plan = make_plan(scalar_bits, bits, std::max(1, most_tables));
    if (static_cast<std::uint64_t>(plan.tables) * points >= sign_bit) continue;
    const double cost =
        static_cast<double>(full_scalars) * plan.windows + 3.0 * plan.buckets() + 20000.0 * plan.sets;
    if (best.windows == 0 || cost < best_cost) {
      best = plan;
      best_cost = cost;
    }
  }
  return best;
}

/// Digit j of `value` given the carry from below; the carry above becomes `carry`. Digits lie in
/// [-(2^(c-1) - 1), 2^(c-1)]: a digit of exactly 2^(c-1) stays positive.
template <class Limbs>
[[nodiscard]] PENSTOCK_HD constexpr std::int32_t signed_digit(const Limbs& value, int window_bits, int j,
                                                              std::uint32_t& carry) {
  const int first = j * window_bits;
  const int limb = first / 64, shift = first % 64;
  std::uint64_t bits = limb < 4 ? value[limb] >> shift : 0;
  if (shift + window_bits > 64 && limb + 1 < 4) bits |= value[limb + 1] << (64 - shift);
  const std::uint32_t half = 1u << (window_bits - 1);
  const std::uint32_t raw =
      static_cast<std::uint32_t>(bits & ((std::uint64_t{1} << window_bits) - 1)) + carry;
  carry = raw > half ? 1 : 0;
  return static_cast<std::int32_t>(raw) - static_cast<std::int32_t>(carry << window_bits);
}

}  // namespace penstock::msm
