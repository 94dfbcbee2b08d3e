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

/// log2 of the buckets that the reduction's first level adds serially: more where additions are the cost,
/// fewer where latency is.
[[nodiscard]] constexpr int serial_width_log2(std::uint32_t buckets) {
  return buckets >= (1u << 21) ? 4 : buckets >= (1u << 18) ? 3 : 2;
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

/// What a sum costs, in additions of a point to a sum: one a pair, and a bucket's part of the reduction as it
/// was measured on an H200, with several sets more than with one; a set's is latency.
[[nodiscard]] constexpr double cost_of(const Plan& plan, std::uint64_t full_scalars) {
  const double a_bucket = plan.sets > 1 ? 4.5 : 3.0, a_set = 20000;
  return static_cast<double>(full_scalars) * plan.windows + a_bucket * plan.buckets() + a_set * plan.sets;
}

/// The cheapest plan. `full_scalars` is how many scalars are expected to be full-width. `most_tables` is what
/// the memory allows.
[[nodiscard]] constexpr Plan plan_msm(int scalar_bits, std::uint64_t full_scalars, std::uint64_t points,
                                      int most_tables) {
  Plan best;
  double best_cost = 0;
  for (int bits = 4; bits <= 22; ++bits) {
    Plan plan = make_plan(scalar_bits, bits, std::max(1, most_tables));
    if (static_cast<std::uint64_t>(plan.tables) * points >= sign_bit) continue;
    const double cost = cost_of(plan, full_scalars);
    if (best.windows == 0 || cost < best_cost) {
      best = plan;
      best_cost = cost;
    }
  }
  return best;
}

/// Scalars below this in size have one digit at most, whatever the windows, which are of narrow_bits or more.
inline constexpr int narrow_bits = 8;
inline constexpr std::uint64_t narrow_below = std::uint64_t{1} << (narrow_bits - 1);

/// The cheapest of the plans that use `resident`'s tables, for a witness that has `wide` scalars (not below
/// narrow_below in size). Tables lie window_bits·sets bits apart, so windows of a divisor of
/// that in as many more sets use them too: a witness of bits, with few digits, saves most of the reduction.
/// `resident`'s buckets are enough for the result.
[[nodiscard]] constexpr Plan plan_for_witness(const Plan& resident, int scalar_bits, std::uint64_t wide) {
  const int stride = resident.window_bits * resident.sets;
  Plan best = resident;
  for (int bits = narrow_bits; bits < resident.window_bits; ++bits) {
    if (stride % bits != 0) continue;
    const Plan plan{bits, window_count(scalar_bits, bits), stride / bits, resident.tables};
    if (cost_of(plan, wide) < cost_of(best, wide)) best = plan;
  }
  return best;
}

/// How many scalars a chunk takes, so that a list of `capacity` pairs holds their digits in any case. `wide`
/// of all `scalars` are not small. REQUIRES capacity >= plan.windows.
[[nodiscard]] constexpr std::uint64_t chunk_scalars(const Plan& plan, std::uint64_t scalars,
                                                    std::uint64_t wide, std::uint64_t capacity) {
  const bool narrow_have_one_digit = plan.window_bits >= narrow_bits;
  const std::uint64_t most =
      narrow_have_one_digit ? plan.most_pairs(wide) + (scalars - wide) : plan.most_pairs(scalars);
  if (most <= capacity) return scalars;
  const std::uint64_t chunks = (plan.most_pairs(scalars) + capacity - 1) / capacity;
  const std::uint64_t size = (scalars + chunks - 1) / chunks;
  return plan.most_pairs(size) <= capacity ? size : capacity / static_cast<std::uint64_t>(plan.windows);
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
