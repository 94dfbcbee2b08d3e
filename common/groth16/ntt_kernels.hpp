// Serial NTT kernels over any field: natural -> reversed (decimation in frequency) and reversed -> natural
// (in time), so that no bit reversal is ever done. Shape: `n` values, a power of two. Twiddles lie per stage:
// a butterfly of half-width h and offset j uses
//   table[h + j], contiguous in j; a table for size N has N entries (entry 0 is unused) and serves all
//   smaller blocks.
// Source: Gentleman and Sande 1966, Cooley and Tukey 1965; depth-first for the caches (Frigo et al. 1999).
// Cost: n/2 log2(n) products; two stages per pass over memory.
#pragma once

#include <cstddef>

namespace penstock::groth16::ntt {

/// Blocks up to this many values are transformed breadth-first: 8 KiB of 32-byte values sit in any
/// first-level cache.
inline constexpr std::size_t leaf_values = 256;

/// Two frequency stages of one block of 4 * quarter values, for offsets [begin, end) of the quarter.
template <class F>
void frequency_pass(F* x, std::size_t quarter, const F* table, std::size_t begin, std::size_t end) {
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

/// Natural -> reversed. REQUIRES table[1] == 1 (no coset): the last stages skip it.
template <class F>
void frequency_transform(F* x, std::size_t n, const F* table) {
  if (n == 2) {
    const F sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  }
  if (n <= 2) return;
  const bool is_leaf = n <= leaf_values;
  std::size_t size = n;
  for (; size > 4 && (is_leaf || size == n); size /= 4)
    for (std::size_t block = 0; block < n; block += size)
      frequency_pass(x + block, size / 4, table, 0, size / 4);
  if (is_leaf && size == 4)
    for (std::size_t block = 0; block < n; block += 4) frequency_last(x + block, table);
  else
    for (std::size_t block = 0; block < n; block += size) frequency_transform(x + block, size, table);
}

/// Reversed -> natural. The table may carry a coset: entry h + j is then shift^(N/2h) times the root's power.
template <class F>
void time_transform(F* x, std::size_t n, const F* table) {
  if (n == 2) {
    const F twisted = x[1] * table[1];
    x[1] = x[0] - twisted;
    x[0] += twisted;
  }
  if (n <= 2) return;
  if (n > leaf_values) {
    for (std::size_t quarter = 0; quarter < 4; ++quarter) time_transform(x + quarter * (n / 4), n / 4, table);
    time_pass(x, n / 4, table, 0, n / 4);
    return;
  }
  std::size_t size = 4;
  if ((__builtin_ctzll(n) & 1) != 0) {  // an odd number of stages: the first alone
    for (std::size_t block = 0; block < n; block += 2) time_transform(x + block, 2, table);
    size = 8;
  }
  for (; size <= n; size *= 4)
    for (std::size_t block = 0; block < n; block += size) time_pass(x + block, size / 4, table, 0, size / 4);
}

}  // namespace penstock::groth16::ntt
