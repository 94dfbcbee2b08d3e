// How a transform of 2^log2n elements is cut into passes: pure arithmetic, tested on the CPU.
// A pass loads tiles of 2^tile_log2 elements into shared memory, works `stages` levels of butterflies on them
// and stores them where they came from. The index of an element, high bits first: [hi | mid | lo]; the pass's
// butterflies run over `mid` (its `stages` bits). A tile holds all of mid, the lowest bits of lo (so that
// reads are contiguous) and, where lo is short, the lowest bits of hi.
#pragma once

#include <array>
#include <cstdint>

#include "common/base/host_device.hpp"

namespace penstock::ntt {

/// 1,024 elements of 32 bytes: 36 KiB of padded shared memory, 6 tiles a multiprocessor.
inline constexpr int max_tile_log2 = 10;
/// Tiles of a small transform: smaller, so that all multiprocessors have some, as long as two passes do.
[[nodiscard]] constexpr int tile_log2_of(int log2n) {
  if (log2n <= 8) return log2n;
  return log2n <= 16 ? 8 : log2n <= 18 ? 9 : max_tile_log2;
}
inline constexpr int max_passes = 3;

struct Pass {
  int first_stage = 0;  ///< the widest level of the pass; level s joins elements 2^(log2n-1-s) apart
  int stages = 0;
  int tile_log2 = 0;
  int log2n = 0;
  int table_log2 =
      0;  ///< of the twiddles' entries: log2n, or one less where they are powers of the domain's root

  [[nodiscard]] PENSTOCK_HD constexpr int low_bits() const { return log2n - first_stage - stages; }
  [[nodiscard]] PENSTOCK_HD constexpr int tile_low_bits() const {
    const int extra = tile_log2 - stages;
    return extra < low_bits() ? extra : low_bits();
  }
  [[nodiscard]] PENSTOCK_HD constexpr int tile_high_bits() const {
    return tile_log2 - stages - tile_low_bits();
  }
  [[nodiscard]] PENSTOCK_HD constexpr std::uint64_t tiles() const {
    return std::uint64_t{1} << (log2n - tile_log2);
  }

  /// The element that tile `block` holds at position t = [high | mid | low].
  [[nodiscard]] PENSTOCK_HD constexpr std::uint32_t element(std::uint32_t block, std::uint32_t t) const {
    const int le = tile_low_bits(), he = tile_high_bits(), lo_rest = low_bits() - le;
    const std::uint32_t low = ((block & ((1u << lo_rest) - 1)) << le) | (t & ((1u << le) - 1));
    const std::uint32_t mid = (t >> le) & ((1u << stages) - 1);
    const std::uint32_t high = ((block >> lo_rest) << he) | (t >> (le + stages));
    return (((high << stages) | mid) << low_bits()) | low;
  }
};

struct Plan {
  int log2n = 0;
  int passes = 0;
  std::array<Pass, max_passes> pass{};  ///< widest levels first
};

/// REQUIRES: 0 <= log2n <= 28. As few passes as possible, of even depth.
[[nodiscard]] constexpr Plan plan_transform(int log2n, int table_log2) {
  Plan plan;
  plan.log2n = log2n;
  const int tile = tile_log2_of(log2n);
  plan.passes = tile == 0 ? 0 : (log2n + tile - 1) / tile;
  int stage = 0;
  for (int i = 0; i < plan.passes; ++i) {
    const int left = plan.passes - i;
    const int stages = (log2n - stage + left - 1) / left;
    plan.pass[static_cast<std::size_t>(i)] = {stage, stages, tile, log2n, table_log2};
    stage += stages;
  }
  return plan;
}

/// Twiddles come from one table of the first N powers of w, a primitive 2N-th root (so w² is the domain's
/// root and w snarkjs's coset shift). These give the exponent of w for the butterfly at distance 2^half_log2
/// and position j below it. plain: the domain's own transform. coset: evaluation on w·⟨w²⟩ by decimation in
/// time, where level by level the shift is the next root, so that the coset costs no product.
/// Where the field has no w, the table holds the first N/2 powers of the domain's root instead: the same
/// exponents with table_log2 = log2n - 1 for log2n, and no coset.
[[nodiscard]] PENSTOCK_HD constexpr std::uint32_t plain_exponent(int table_log2, int half_log2,
                                                                 std::uint32_t j) {
  return j << (table_log2 - half_log2);
}
[[nodiscard]] PENSTOCK_HD constexpr std::uint32_t coset_exponent(int log2n, int half_log2, std::uint32_t j) {
  return (2 * j + 1) << (log2n - 1 - half_log2);
}
/// w^-e = -w^(N-e) for 0 < e < N: the inverse needs no table of its own, its butterflies swap a sign instead.
[[nodiscard]] PENSTOCK_HD constexpr std::uint32_t inverse_exponent(int table_log2, int half_log2,
                                                                   std::uint32_t j) {
  return (1u << table_log2) - plain_exponent(table_log2, half_log2, j);
}

}  // namespace penstock::ntt
