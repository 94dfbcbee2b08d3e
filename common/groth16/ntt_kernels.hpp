// Serial NTT kernels over any field: natural -> reversed (decimation in frequency) and reversed -> natural
// (in time), so that no bit reversal is ever done. Shape: `n` values, a power of two. Twiddles lie per stage:
// a butterfly of half-width h and offset j uses
//   table[h + j], contiguous in j; a table for size N has N entries (entry 0 is unused) and serves all
//   smaller blocks.
// Source: Gentleman and Sande 1966, Cooley and Tukey 1965; depth-first for the caches (Frigo et al. 1999).
// Cost: n/2 log2(n) products; two stages per pass over memory.
#pragma once

#include <cstddef>

#include "common/groth16/ntt_lanes.hpp"

namespace penstock::groth16::ntt {

/// Blocks up to this many values are transformed breadth-first: 8 KiB of 32-byte values sit in any
/// first-level cache.
inline constexpr std::size_t leaf_values = 256;

/// Eight butterflies at a time: is that so, and are there `count` of them?
template <class F>
[[nodiscard]] bool fills_lanes(std::size_t count) {
  return has_lanes<F> && count >= lane_count && count % lane_count == 0 &&
         algebra::active_lanes() == algebra::LanePath::ifma;
}

/// Two frequency stages of one block of 4 * quarter values, for offsets [begin, end) of the quarter.
template <class F>
void frequency_pass(F* x, std::size_t quarter, const F* table, std::size_t begin, std::size_t end) {
  if constexpr (has_lanes<F>)
    if (fills_lanes<F>(end - begin)) return LanePasses<F>::frequency_along(x, quarter, table, begin, end);
  const F* outer = table + 2 * quarter;
  const F* inner = table + quarter;
  for (std::size_t j = begin; j < end; ++j) {
    const F a = x[j], b = x[j + quarter], c = x[j + 2 * quarter], d = x[j + 3 * quarter];
    const F sum_ac = a + c, sum_bd = b + d;
    const F difference_ac = (a - c) * outer[j];
    const F difference_bd = (b - d) * outer[j + quarter];
    x[j] = sum_ac + sum_bd;
    x[j + quarter] = (sum_ac - sum_bd) * inner[j];
    x[j + 2 * quarter] = difference_ac + difference_bd;
    x[j + 3 * quarter] = (difference_ac - difference_bd) * inner[j];
  }
}

/// Two time stages of one block of 4 * quarter values, for offsets [begin, end) of the quarter.
template <class F>
void time_pass(F* x, std::size_t quarter, const F* table, std::size_t begin, std::size_t end) {
  if constexpr (has_lanes<F>)
    if (fills_lanes<F>(end - begin)) return LanePasses<F>::time_along(x, quarter, table, begin, end);
  const F* outer = table + 2 * quarter;
  const F* inner = table + quarter;
  for (std::size_t j = begin; j < end; ++j) {
    const F b = x[j + quarter] * inner[j];
    const F d = x[j + 3 * quarter] * inner[j];
    const F a = x[j], c = x[j + 2 * quarter];
    const F c_twisted = (c + d) * outer[j];
    const F d_twisted = (c - d) * outer[j + quarter];
    const F sum_ab = a + b, difference_ab = a - b;
    x[j] = sum_ab + c_twisted;
    x[j + 2 * quarter] = sum_ab - c_twisted;
    x[j + quarter] = difference_ab + d_twisted;
    x[j + 3 * quarter] = difference_ab - d_twisted;
  }
}

/// The last two frequency stages of a block of 4: their twiddles are 1, 1, 1 and the square root of -1.
template <class F>
void frequency_last(F* x, const F* table) {
  const F sum_ac = x[0] + x[2], sum_bd = x[1] + x[3];
  const F difference_ac = x[0] - x[2];
  const F difference_bd = (x[1] - x[3]) * table[3];
  x[0] = sum_ac + sum_bd;
  x[1] = sum_ac - sum_bd;
  x[2] = difference_ac + difference_bd;
  x[3] = difference_ac - difference_bd;
}

/// Two stages of every block of `size` in n values.
template <class F>
void frequency_blocks(F* x, std::size_t n, std::size_t size, const F* table) {
  if constexpr (has_lanes<F>)
    if (size / 4 < lane_count && fills_lanes<F>(n / size))
      return LanePasses<F>::frequency_across(x, n, size / 4, table);
  for (std::size_t block = 0; block < n; block += size) {
    if (size == 4)
      frequency_last(x + block, table);
    else
      frequency_pass(x + block, size / 4, table, 0, size / 4);
  }
}
template <class F>
void time_blocks(F* x, std::size_t n, std::size_t size, const F* table) {
  if constexpr (has_lanes<F>)
    if (size / 4 < lane_count && fills_lanes<F>(n / size))
      return LanePasses<F>::time_across(x, n, size / 4, table);
  for (std::size_t block = 0; block < n; block += size) time_pass(x + block, size / 4, table, 0, size / 4);
}

/// The one stage of every block of 2.
template <class F>
void frequency_pairs(F* x, std::size_t n) {
  if constexpr (has_lanes<F>)
    if (fills_lanes<F>(n / 2)) return LanePasses<F>::frequency_pairs(x, n);
  for (std::size_t i = 0; i < n; i += 2) {
    const F sum = x[i] + x[i + 1];
    x[i + 1] = x[i] - x[i + 1];
    x[i] = sum;
  }
}
template <class F>
void time_pairs(F* x, std::size_t n, const F* table) {
  if constexpr (has_lanes<F>)
    if (fills_lanes<F>(n / 2)) return LanePasses<F>::time_pairs(x, n, table);
  for (std::size_t i = 0; i < n; i += 2) {
    const F twisted = x[i + 1] * table[1];
    x[i + 1] = x[i] - twisted;
    x[i] += twisted;
  }
}

/// Natural -> reversed. REQUIRES table[1] == 1 (no coset): the last stages skip it.
template <class F>
void frequency_transform(F* x, std::size_t n, const F* table) {
  if (n > leaf_values) {
    frequency_pass(x, n / 4, table, 0, n / 4);
    for (std::size_t quarter = 0; quarter < 4; ++quarter)
      frequency_transform(x + quarter * (n / 4), n / 4, table);
    return;
  }
  std::size_t size = n;
  for (; size >= 4; size /= 4) frequency_blocks(x, n, size, table);
  if (size == 2) frequency_pairs(x, n);
}

/// Reversed -> natural. The table may carry a coset: entry h + j is then shift^(N/2h) times the root's power.
template <class F>
void time_transform(F* x, std::size_t n, const F* table) {
  if (n > leaf_values) {
    for (std::size_t quarter = 0; quarter < 4; ++quarter) time_transform(x + quarter * (n / 4), n / 4, table);
    time_pass(x, n / 4, table, 0, n / 4);
    return;
  }
  std::size_t size = 4;
  if ((__builtin_ctzll(n) & 1) != 0) {  // an odd number of stages: the first alone
    time_pairs(x, n, table);
    size = 8;
  }
  for (; size <= n; size *= 4) time_blocks(x, n, size, table);
}

}  // namespace penstock::groth16::ntt
