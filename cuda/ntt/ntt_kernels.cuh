// The kernels of ntt.hpp. A thread works two levels of butterflies in registers between two visits to shared
// memory.
#pragma once

#include "cuda/ntt/ntt.hpp"
#include "cuda/ntt/ntt_plan.hpp"

namespace penstock::ntt {

inline constexpr int threads_per_tile = 256;

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

/// One butterfly between x and y at distance `half`, position j.
template <Transform kind, class Fr>
__device__ __forceinline__ void butterfly(Fr& x, Fr& y, const Fr* twiddles, std::uint64_t n,
                                          std::uint64_t half, std::uint64_t j) {
  if constexpr (kind == Transform::coset_forward) {
    const Fr product = y * load_global(twiddles + coset_exponent(n, half, j));
    y = x - product;
    x = x + product;
  } else if constexpr (kind == Transform::forward) {
    const Fr difference = x - y;
    x = x + y;
    y = j == 0 ? difference : difference * load_global(twiddles + plain_exponent(n, half, j));
  } else {
    const Fr difference = y - x;  // the inverse twiddle is the negative of the entry
    x = x + y;
    y = j == 0 ? -difference : difference * load_global(twiddles + inverse_exponent(n, half, j));
  }
}

template <Transform kind, class Fr>
__device__ __forceinline__ void two_levels(Tile& tile, const Pass& pass, int level, std::uint64_t block,
                                           const Fr* twiddles) {
  const std::uint64_t n = std::uint64_t{1} << pass.log2n;
  const int position = pass.tile_low_bits() + pass.stages - 2 - level;  // of the narrower level's bit in t
  const std::uint64_t half = std::uint64_t{1} << (pass.low_bits() + pass.stages - 1 - level);
  for (std::uint32_t r = threadIdx.x; r < (1u << (pass.tile_log2 - 2)); r += blockDim.x) {
    const std::uint32_t low = r & ((1u << position) - 1);
    const std::uint32_t t = ((r >> position) << (position + 2)) | low;
    const std::uint64_t j = pass.element(block, t) & (half - 1);
    Fr x[4];
#pragma unroll
    for (std::uint32_t k = 0; k < 4; ++k) x[k] = tile.load<Fr>(t + (k << position));
    if constexpr (kind == Transform::coset_forward) {
      butterfly<kind>(x[0], x[1], twiddles, n, half / 2, j);
      butterfly<kind>(x[2], x[3], twiddles, n, half / 2, j);
      butterfly<kind>(x[0], x[2], twiddles, n, half, j);
      butterfly<kind>(x[1], x[3], twiddles, n, half, j + half / 2);
    } else {
      butterfly<kind>(x[0], x[2], twiddles, n, half, j);
      butterfly<kind>(x[1], x[3], twiddles, n, half, j + half / 2);
      butterfly<kind>(x[0], x[1], twiddles, n, half / 2, j);
      butterfly<kind>(x[2], x[3], twiddles, n, half / 2, j);
    }
#pragma unroll
    for (std::uint32_t k = 0; k < 4; ++k) tile.store(t + (k << position), x[k]);
  }
}

template <Transform kind, class Fr>
__device__ __forceinline__ void one_level(Tile& tile, const Pass& pass, int level, std::uint64_t block,
                                          const Fr* twiddles) {
  const std::uint64_t n = std::uint64_t{1} << pass.log2n;
  const int position = pass.tile_low_bits() + pass.stages - 1 - level;
  const std::uint64_t half = std::uint64_t{1} << (pass.low_bits() + pass.stages - 1 - level);
  for (std::uint32_t r = threadIdx.x; r < (1u << (pass.tile_log2 - 1)); r += blockDim.x) {
    const std::uint32_t low = r & ((1u << position) - 1);
    const std::uint32_t t = ((r >> position) << (position + 1)) | low;
    const std::uint64_t j = pass.element(block, t) & (half - 1);
    Fr x = tile.load<Fr>(t), y = tile.load<Fr>(t + (1u << position));
    butterfly<kind>(x, y, twiddles, n, half, j);
    tile.store(t, x);
    tile.store(t + (1u << position), y);
  }
}

/// One pass over one tile. Grid: (tiles, polynomials).
template <Transform kind, class Fr>
__global__ void __launch_bounds__(threads_per_tile) transform_pass(Fr* data, const Fr* twiddles, Pass pass) {
  __shared__ Tile tile;
  Fr* polynomial = data + (static_cast<std::uint64_t>(blockIdx.y) << pass.log2n);
  const std::uint64_t block = blockIdx.x;
  const std::uint32_t size = 1u << pass.tile_log2;
  for (std::uint32_t t = threadIdx.x; t < size; t += blockDim.x)
    tile.store(t, load_global(polynomial + pass.element(block, t)));
  __syncthreads();
  constexpr bool widening = kind == Transform::coset_forward;
  const bool odd = pass.stages % 2 != 0;
  if (widening && odd) {  // decimation in time works the narrowest level first
    one_level<kind>(tile, pass, pass.stages - 1, block, twiddles);
    __syncthreads();
  }
  for (int pair = 0; pair < pass.stages / 2; ++pair) {
    const int level = widening ? pass.stages - 2 - 2 * pair - (odd ? 1 : 0) : 2 * pair;
    two_levels<kind>(tile, pass, level, block, twiddles);
    __syncthreads();
  }
  if (!widening && odd) {
    one_level<kind>(tile, pass, pass.stages - 1, block, twiddles);
    __syncthreads();
  }
  for (std::uint32_t t = threadIdx.x; t < size; t += blockDim.x) {
    const Fr value = tile.load<Fr>(t);
    auto* words = reinterpret_cast<ulonglong2*>(polynomial + pass.element(block, t));
    words[0] = {value.limb[0], value.limb[1]};
    words[1] = {value.limb[2], value.limb[3]};
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

template <Transform kind, class Fr>
void enqueue_passes(const cuda::Stream& stream, Fr* data, const Fr* twiddles, int log2n, int polynomials) {
  const Plan plan = plan_transform(log2n);
  for (int i = 0; i < plan.passes; ++i) {
    const int index = kind == Transform::coset_forward ? plan.passes - 1 - i : i;
    const Pass& pass = plan.pass[static_cast<std::size_t>(index)];
    const dim3 grid(static_cast<unsigned>(pass.tiles()), static_cast<unsigned>(polynomials));
    const int threads = pass.tile_log2 < 10 ? (1 << pass.tile_log2) / 4 + 1 : threads_per_tile;
    transform_pass<kind><<<grid, threads, 0, stream.get()>>>(data, twiddles, pass);
    cuda::check_launch();
  }
}

template <class Fr>
void transform(const cuda::Stream& stream, Transform kind, Fr* data, const Fr* twiddles, int log2n,
               int polynomials) {
  switch (kind) {
    case Transform::forward:
      return enqueue_passes<Transform::forward>(stream, data, twiddles, log2n, polynomials);
    case Transform::inverse:
      return enqueue_passes<Transform::inverse>(stream, data, twiddles, log2n, polynomials);
    case Transform::coset_forward:
      return enqueue_passes<Transform::coset_forward>(stream, data, twiddles, log2n, polynomials);
  }
}

}  // namespace penstock::ntt
