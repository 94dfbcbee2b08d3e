// The passes of ntt_kernels.hpp for eight butterflies at a time (common/algebra/lanes.hpp). `along` passes
// take eight neighbouring offsets of one block, `across` passes the same offset of eight neighbouring blocks,
// for the blocks that are too short. Shape and twiddles as in ntt_kernels.hpp; values are canonical before
// and after. REQUIRES active_lanes() == LanePath::ifma. Ownership: the caller's memory. Threads: any, on
// other data. Errors: none. Cost: a fifth of the scalar passes.
#pragma once

#include <cstddef>

#include "common/algebra/curves.hpp"
#include "common/algebra/lanes_build.hpp"
#include "common/algebra/lanes_path.hpp"

namespace penstock::groth16::ntt {

inline constexpr std::size_t lane_count = 8;

template <class F>
inline constexpr bool has_lanes = false;

template <class F>
struct LanePasses;

#if PENSTOCK_LANES
template <>
inline constexpr bool has_lanes<algebra::Bn254::Fr> = true;
template <>
inline constexpr bool has_lanes<algebra::Bls12_381::Fr> = true;

template <class F>
struct LanePasses {
  /// Offsets [begin, end) of one block of 4 * quarter. REQUIRES end - begin divisible by 8.
  PENSTOCK_LANE_CODE static void frequency_along(F* x, std::size_t quarter, const F* table, std::size_t begin,
                                                 std::size_t end);
  PENSTOCK_LANE_CODE static void time_along(F* x, std::size_t quarter, const F* table, std::size_t begin,
                                            std::size_t end);

  /// All blocks of 4 * quarter in `n` values. REQUIRES a multiple of 8 blocks.
  PENSTOCK_LANE_CODE static void frequency_across(F* x, std::size_t n, std::size_t quarter, const F* table);
  PENSTOCK_LANE_CODE static void time_across(F* x, std::size_t n, std::size_t quarter, const F* table);
  /// All blocks of 2.
  PENSTOCK_LANE_CODE static void frequency_pairs(F* x, std::size_t n);
  PENSTOCK_LANE_CODE static void time_pairs(F* x, std::size_t n, const F* table);
};
extern template struct LanePasses<algebra::Bn254::Fr>;
extern template struct LanePasses<algebra::Bls12_381::Fr>;
#endif

}  // namespace penstock::groth16::ntt
