// The kernels of ntt.hpp. A round works up to `most_levels` levels of butterflies in registers; the first
// round of a pass reads global memory, the last writes it, and between two rounds the tile lies in shared
// memory.
#pragma once

#include "cuda/ntt/ntt.hpp"
#include "cuda/ntt/ntt_plan.hpp"

namespace penstock::ntt {

/// Levels of a full round: three where there are enough tiles to fill the card with threads of eight
/// elements. (H200: 2^16 23 µs with two levels, 37 with three; 2^24 3.96 ms with two, 3.67 with three.)
inline constexpr int small_levels = 2, large_levels = 3;
[[nodiscard]] constexpr int round_levels(int log2n) {
  return log2n <= 18 ? small_levels : large_levels;
}
/// Threads of a tile: one for each group of 2^levels elements.
template <int levels>
inline constexpr int tile_threads = 1 << (max_tile_log2 - levels);
/// Tiles that share a multiprocessor's registers.
template <int levels>
inline constexpr int resident_tiles = levels == small_levels ? 2 : 3;

/// Shared memory as two arrays of 16-byte halves; one spare per 8 keeps strided visits free of bank
/// conflicts.
struct Tile {
  static constexpr int padded = (1 << max_tile_log2) + (1 << (max_tile_log2 - 3));
  uint4 half[2][padded];

  static __device__ __forceinline__ int slot(std::uint32_t t) { return static_cast<int>(t + (t >> 3)); }
  template <class Fr>
  __device__ __forceinline__ Fr load(std::uint32_t t) const {
    static_assert(sizeof(Fr) == 32);
    const uint4 a = half[0][slot(t)], b = half[1][slot(t)];
    Fr value;
    value.limb[0] = a.x | (static_cast<std::uint64_t>(a.y) << 32);
    value.limb[1] = a.z | (static_cast<std::uint64_t>(a.w) << 32);
    value.limb[2] = b.x | (static_cast<std::uint64_t>(b.y) << 32);
    value.limb[3] = b.z | (static_cast<std::uint64_t>(b.w) << 32);
    return value;
  }
  template <class Fr>
  __device__ __forceinline__ void store(std::uint32_t t, const Fr& value) {
    const auto low = [](std::uint64_t x) { return static_cast<unsigned>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<unsigned>(x >> 32); };
    half[0][slot(t)] = {low(value.limb[0]), high(value.limb[0]), low(value.limb[1]), high(value.limb[1])};
    half[1][slot(t)] = {low(value.limb[2]), high(value.limb[2]), low(value.limb[3]), high(value.limb[3])};
  }
};

/// 32 bytes in two 16-byte accesses; the address is 16-byte aligned.
template <class Fr>
__device__ __forceinline__ Fr load_global(const Fr* address) {
  const auto* words = reinterpret_cast<const ulonglong2*>(address);
  const ulonglong2 a = __ldg(words), b = __ldg(words + 1);
  Fr value;
  value.limb[0] = a.x;
  value.limb[1] = a.y;
  value.limb[2] = b.x;
  value.limb[3] = b.y;
  return value;
}

template <class Fr>
__device__ __forceinline__ void store_global(Fr* address, const Fr& value) {
  auto* words = reinterpret_cast<ulonglong2*>(address);
  words[0] = {value.limb[0], value.limb[1]};
  words[1] = {value.limb[2], value.limb[3]};
}

/// The entry of the table for a butterfly at distance 2^half_log2 and position j.
template <Transform kind, class Fr>
__device__ __forceinline__ Fr load_twiddle(const Fr* twiddles, int table_log2, int half_log2,
                                           std::uint32_t j) {
  if constexpr (kind == Transform::coset_forward)
    return load_global(twiddles + coset_exponent(table_log2, half_log2, j));
  else if constexpr (kind == Transform::forward)
    return load_global(twiddles + plain_exponent(table_log2, half_log2, j));
  else if (j == 0)
    return -Fr::one();
  else
    return load_global(twiddles + inverse_exponent(table_log2, half_log2, j));
}

/// One butterfly's sum and difference before the product; the inverse twiddle is the negative of the table's
/// entry.
template <Transform kind, bool plain, class Fr>
__device__ __forceinline__ void add_and_subtract(Fr& x, Fr& y) {
  const Fr difference = plain || kind != Transform::inverse ? x - y : y - x;
  x = x + y;
  y = difference;
}

/// The level with distance 2^apart_log2 on 2^levels registers, its twiddles at twiddle[2^apart_log2 …].
template <Transform kind, int levels, int apart_log2, bool unit, class Fr>
__device__ __forceinline__ void one_level(Fr (&x)[1 << levels], const Fr (&twiddle)[1 << levels]) {
  constexpr int apart = 1 << apart_log2;
#pragma unroll
  for (int k = 0; k < (1 << levels); ++k) {
    if ((k & apart) != 0) continue;
    const int m = k & (apart - 1);
    Fr& y = x[k + apart];
    if constexpr (kind == Transform::coset_forward) {
      y = y * twiddle[apart + m];
      add_and_subtract<kind, false>(x[k], y);
    } else if (unit && m == 0) {
      add_and_subtract<kind, true>(x[k], y);
    } else {
      add_and_subtract<kind, false>(x[k], y);
      y = y * twiddle[apart + m];
    }
  }
}

/// `levels` levels on 2^levels elements 2^step_log2 apart; j is the first one's index below that. `unit`: the
/// step is one element and j zero, which spares the products by 1. A level's 2^i twiddles are all loaded at
/// the start.
template <Transform kind, int levels, bool unit, class Fr>
__device__ __forceinline__ void butterflies(Fr (&x)[1 << levels], const Fr* twiddles, int table_log2,
                                            int step_log2, std::uint32_t j) {
  constexpr bool spares = unit && kind != Transform::coset_forward;
  Fr twiddle[1 << levels];  // of the level with 2^i: places 2^i …
#pragma unroll
  for (int i = 0; i < levels; ++i)
#pragma unroll
    for (int m = spares ? 1 : 0; m < (1 << i); ++m)
      twiddle[(1 << i) + m] = load_twiddle<kind>(twiddles, table_log2, step_log2 + i,
                                                 j + (static_cast<std::uint32_t>(m) << step_log2));
  if constexpr (kind == Transform::coset_forward) {  // decimation in time: the narrowest level first
    one_level<kind, levels, 0, unit>(x, twiddle);
    if constexpr (levels > 1) one_level<kind, levels, 1, unit>(x, twiddle);
    if constexpr (levels > 2) one_level<kind, levels, 2, unit>(x, twiddle);
  } else {
    if constexpr (levels > 2) one_level<kind, levels, 2, unit>(x, twiddle);
    if constexpr (levels > 1) one_level<kind, levels, 1, unit>(x, twiddle);
    one_level<kind, levels, 0, unit>(x, twiddle);
  }
}

/// Where a round takes its elements from and puts them.
struct Places {
  bool from_global = false, to_global = false;
};

/// The round that works levels [level, level + levels) of the pass on every group of its tile.
template <Transform kind, int levels, class Fr>
__device__ __forceinline__ void work_round(Tile& tile, Fr* polynomial, const Pass& pass, int level,
                                           std::uint32_t block, const Fr* twiddles, Places places) {
  const int below = pass.stages - levels - level;  // levels of the pass that are narrower
  const int position = pass.tile_low_bits() + below, step_log2 = pass.low_bits() + below;
  const std::uint32_t step = 1u << step_log2;
  for (std::uint32_t r = threadIdx.x; r < (1u << (pass.tile_log2 - levels)); r += blockDim.x) {
    const std::uint32_t low = r & ((1u << position) - 1);
    const std::uint32_t t = ((r >> position) << (position + levels)) | low;
    const std::uint32_t element = pass.element(block, t);
    Fr x[1 << levels];
#pragma unroll
    for (std::uint32_t k = 0; k < (1u << levels); ++k)
      x[k] = places.from_global ? load_global(polynomial + element + k * step)
                                : tile.load<Fr>(t + (k << position));
    if (step_log2 == 0)
      butterflies<kind, levels, true>(x, twiddles, pass.table_log2, 0, 0);
    else
      butterflies<kind, levels, false>(x, twiddles, pass.table_log2, step_log2, element & (step - 1));
#pragma unroll
    for (std::uint32_t k = 0; k < (1u << levels); ++k) {
      if (places.to_global)
        store_global(polynomial + element + k * step, x[k]);
      else
        tile.store(t + (k << position), x[k]);
    }
  }
}

/// One pass over one tile. Grid: (tiles, polynomials). A thread reads in a round what it wrote, or what lies
/// behind a barrier.
template <Transform kind, int most_levels, class Fr>
__global__ void __launch_bounds__(tile_threads<most_levels>, resident_tiles<most_levels>)
    transform_pass(Fr* data, const Fr* twiddles, Pass pass) {
  __shared__ Tile tile;
  Fr* polynomial = data + (static_cast<std::uint64_t>(blockIdx.y) << pass.log2n);
  constexpr bool widening = kind == Transform::coset_forward;
  for (int done = 0; done < pass.stages;) {
    const int left = pass.stages - done;
    // 3 + 3 + 2, and 2 + 2 rather than 3 + 1
    const int levels = left == 4 || left < most_levels ? (left < 2 ? left : 2) : most_levels;
    const int level = widening ? pass.stages - done - levels : done;
    const Places places{.from_global = done == 0, .to_global = done + levels == pass.stages};
    if (done > 0) __syncthreads();
    if (most_levels == 3 && levels == 3)
      work_round<kind, most_levels>(tile, polynomial, pass, level, blockIdx.x, twiddles, places);
    else if (levels == 2)
      work_round<kind, 2>(tile, polynomial, pass, level, blockIdx.x, twiddles, places);
    else
      work_round<kind, 1>(tile, polynomial, pass, level, blockIdx.x, twiddles, places);
    done += levels;
  }
}

/// powers[k] = w^(2^k); table[i] = w^i as the product of the powers at i's bits.
template <class Fr>
struct PowersOfTwo {
  Fr power[32];
};
template <class Fr>
__global__ void twiddle_table(Fr* table, std::uint64_t n, PowersOfTwo<Fr> powers) {
  const std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  Fr value = Fr::one();
  for (int k = 0; (i >> k) != 0; ++k)
    if ((i >> k) & 1) value = value * powers.power[k];
  table[i] = value;
}

template <class Fr>
void make_twiddles(const cuda::Stream& stream, Fr* table, int log2n, const Fr& w) {
  PowersOfTwo<Fr> powers;
  powers.power[0] = w;
  for (int k = 1; k < 32; ++k) powers.power[k] = powers.power[k - 1].square();
  const std::uint64_t n = std::uint64_t{1} << log2n;
  twiddle_table<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream.get()>>>(table, n, powers);
  cuda::check_launch();
}

template <Transform kind, int levels, class Fr>
void enqueue_pass(const cuda::Stream& stream, Fr* data, const Fr* twiddles, const Pass& pass,
                  int polynomials) {
  const dim3 grid(static_cast<unsigned>(pass.tiles()), static_cast<unsigned>(polynomials));
  const int threads = pass.tile_log2 < levels + 5 ? 32 : 1 << (pass.tile_log2 - levels);
  transform_pass<kind, levels><<<grid, threads, 0, stream.get()>>>(data, twiddles, pass);
  cuda::check_launch();
}

template <Transform kind, class Fr>
void enqueue_passes(const cuda::Stream& stream, Fr* data, const Fr* twiddles, int log2n, int polynomials,
                    Table table = Table::of_twice_the_order) {
  const Plan plan = plan_transform(log2n, table == Table::of_twice_the_order ? log2n : log2n - 1);
  for (int i = 0; i < plan.passes; ++i) {
    const int index = kind == Transform::coset_forward ? plan.passes - 1 - i : i;
    const Pass& pass = plan.pass[static_cast<std::size_t>(index)];
    if (round_levels(log2n) == small_levels)
      enqueue_pass<kind, small_levels>(stream, data, twiddles, pass, polynomials);
    else
      enqueue_pass<kind, large_levels>(stream, data, twiddles, pass, polynomials);
  }
}

template <class Fr>
void transform(const cuda::Stream& stream, Transform kind, Fr* data, const Fr* twiddles, int log2n,
               int polynomials, Table table) {
  switch (kind) {
    case Transform::forward:
      return enqueue_passes<Transform::forward>(stream, data, twiddles, log2n, polynomials, table);
    case Transform::inverse:
      return enqueue_passes<Transform::inverse>(stream, data, twiddles, log2n, polynomials, table);
    case Transform::coset_forward:
      return enqueue_passes<Transform::coset_forward>(stream, data, twiddles, log2n, polynomials);
  }
}

}  // namespace penstock::ntt
