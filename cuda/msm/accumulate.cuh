// From the sorted pairs to the buckets. Every thread (two lanes in G2) adds an equal run of the list, so a
// bucket of ten million ones is as quick as ten million buckets of one. A bucket inside a run is finished
// there; the first and the last of a run are `partials`: a list, again sorted by bucket, an eighth of a
// percent as long, merged by segmented scans of blocks.
#pragma once

#include "cuda/field/field_products.cuh"
#include "cuda/msm/lanes.cuh"
#include "cuda/msm/msm.hpp"

namespace penstock::msm {

inline constexpr int block_threads = 128;
inline constexpr std::uint32_t multiprocessors = 132;  ///< of an H100 or H200: waves are sized for them
inline constexpr std::uint32_t shortest_run = 16;

/// Blocks that a multiprocessor holds with the registers which an addition needs (168 and 128 a thread).
template <class F>
inline constexpr int accumulate_blocks = sizeof(F) / Lanes<F>::width > 32 ? 3 : 4;
/// Runs of a full wave, and the most of a list: four waves, so that the last one's end costs little.
template <class F>
inline constexpr std::uint32_t runs_in_wave =
    multiprocessors* accumulate_blocks<F>* block_threads / Lanes<F>::width;
template <class F>
inline constexpr std::uint32_t most_runs = 4 * runs_in_wave<F>;

/// Elements of a scanning block: its lanes' parts fit 24 KiB of shared memory.
template <class F>
inline constexpr int scan_size = block_threads / Lanes<F>::width;

/// sum += sum: dbl-2008-s-1, 6M + 4S. Infinity stays.
template <class F>
__device__ __forceinline__ void double_sum(algebra::Xyzz<F>& sum) {
  using algebra::square_of, algebra::times;
  const F u = sum.y.doubled();
  const F v = square_of(u);
  const F w = times(u, v);
  const F s = times(sum.x, v);
  const F xx = square_of(sum.x);
  const F m = xx.doubled() + xx;
  const F wy = times(w, sum.y);
  sum.x = square_of(m) - s.doubled();
  sum.y = times(m, s - sum.x) - wy;
  sum.zz = times(sum.zz, v);
  sum.zzz = times(sum.zzz, w);
}
template <class F>
__device__ __noinline__ algebra::Xyzz<F> double_of(algebra::Xyzz<F> sum) {
  double_sum(sum);
  return sum;
}

/// The common end of both additions: U1 = u, S1 = s, P and R as in the Explicit-Formulas Database.
template <class F>
__device__ __forceinline__ void finish_addition(algebra::Xyzz<F>& sum, const F& p, const F& r, const F& u,
                                                const F& s) {
  using algebra::square_of, algebra::times;
  const F pp = square_of(p);
  const F ppp = times(p, pp);
  const F q = times(u, pp);
  const F sppp = times(s, ppp);
  sum.zz = times(sum.zz, pp);
  sum.zzz = times(sum.zzz, ppp);
  sum.x = square_of(r) - ppp - q.doubled();
  sum.y = times(r, q - sum.x) - sppp;
}

/// sum += point: madd-2008-s, 8M + 2S, with the rare doubling out of line, so that it costs no registers
/// here.
template <class F>
__device__ __forceinline__ void add_point(algebra::Xyzz<F>& sum, const algebra::Affine<F>& point) {
  using algebra::times;
  if (point.is_infinity()) return;
  if (sum.is_infinity()) {
    sum = {point.x, point.y, F::one(), F::one()};
    return;
  }
  const F p = times(point.x, sum.zz) - sum.x;
  const F r = times(point.y, sum.zzz) - sum.y;
  if (p.is_zero()) {
    sum = r.is_zero() ? double_of(sum) : algebra::Xyzz<F>::infinity();
    return;
  }
  const F u = sum.x, s = sum.y;
  finish_addition(sum, p, r, u, s);
}

/// sum += other: add-2008-s, 12M + 2S.
template <class F>
__device__ __forceinline__ void add_sum(algebra::Xyzz<F>& sum, const algebra::Xyzz<F>& other) {
  using algebra::times;
  if (other.is_infinity()) return;
  if (sum.is_infinity()) {
    sum = other;
    return;
  }
  const F u = times(sum.x, other.zz);
  const F p = times(other.x, sum.zz) - u;
  const F s = times(sum.y, other.zzz);
  const F r = times(other.y, sum.zzz) - s;
  if (p.is_zero()) {
    sum = r.is_zero() ? double_of(sum) : algebra::Xyzz<F>::infinity();
    return;
  }
  sum.zz = times(sum.zz, other.zz);
  sum.zzz = times(sum.zzz, other.zzz);
  finish_addition(sum, p, r, u, s);
}

/// Whether the next point is asked for while this one is added. In G1 that made BLS12-381 4 % slower and
/// BN254 no faster, measured in one call; G2 has been measured with it only.
template <class F>
inline constexpr bool asks_ahead = Lanes<F>::width > 1;

__device__ __forceinline__ void prefetch(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

template <class F>
__global__ void __launch_bounds__(block_threads, accumulate_blocks<F>)
    accumulate_runs(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t count,
                    std::uint32_t run, std::uint32_t runs, const algebra::Affine<F>* table,
                    algebra::Xyzz<F>* buckets, std::uint32_t* partial_keys, algebra::Xyzz<F>* partials) {
  const std::uint32_t work = work_index<F>();
  if (work >= runs) return;
  const std::uint32_t begin = work * run;
  const std::uint32_t end = count - begin < run ? count : begin + run;
  std::uint32_t key = keys[begin];
  LaneSum<F> sum = LaneSum<F>::infinity();
  bool first = true;
  partial_keys[2 * work] = key;
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t next = keys[i], value = values[i];
    LanePoint<F> point = load_point<F>(table + (value & ~sign_bit));
    if (next != key) {
      store_sum<F>(first ? partials + 2 * work : buckets + key, sum);
      first = false;
      key = next;
      sum = LaneSum<F>::infinity();
    }
    if ((value & sign_bit) != 0) point.y = -point.y;
    if constexpr (asks_ahead<F>) prefetch(table + (values[i + 1 < end ? i + 1 : i] & ~sign_bit));
    add_point(sum, point);
  }
  partial_keys[2 * work + 1] = key;
  store_sum<F>(partials + 2 * work + (first ? 0 : 1), sum);
  if (first) store_sum<F>(partials + 2 * work + 1, LaneSum<F>::infinity());
}

/// One block merges `scan_size` partials into at most two, and finishes the buckets that lie inside. With
/// `last` there is one block and every bucket is finished.
template <class F>
__global__ void __launch_bounds__(block_threads)
    merge_partials(const std::uint32_t* keys, const algebra::Xyzz<F>* sums, std::uint32_t count,
                   algebra::Xyzz<F>* buckets, std::uint32_t* next_keys, algebra::Xyzz<F>* next_sums,
                   int last) {
  __shared__ std::uint32_t key_of[scan_size<F>];
  __shared__ LaneSum<F> sum_of[block_threads];
  const int at = work_in_block<F>();
  const std::uint32_t begin = blockIdx.x * scan_size<F>;
  const int size = static_cast<int>(count - begin < scan_size<F> ? count - begin : scan_size<F>);
  LaneSum<F> sum = LaneSum<F>::infinity();
  if (at < size) {
    key_of[at] = keys[begin + static_cast<std::uint32_t>(at)];
    sum = load_sum<F>(sums + begin + at);
  }
#pragma unroll 1
  for (int distance = 1; distance < scan_size<F>; distance *= 2) {
    sum_of[threadIdx.x] = sum;
    __syncthreads();
    if (at < size && at >= distance && key_of[at - distance] == key_of[at])
      add_sum(sum, sum_of[static_cast<int>(threadIdx.x) - distance * Lanes<F>::width]);
    __syncthreads();
  }
  if (at >= size) return;
  const bool ends_here = at == size - 1 || key_of[at + 1] != key_of[at];
  if (!ends_here) return;
  const std::uint32_t key = key_of[at];
  const bool is_first = key == key_of[0], is_last = at == size - 1;
  if (last || (!is_first && !is_last)) {
    store_sum<F>(buckets + key, sum);
    return;
  }
  const std::uint32_t out = 2 * blockIdx.x;
  if (is_first) {
    next_keys[out] = key;
    store_sum<F>(next_sums + out, sum);
  }
  if (is_last) {
    next_keys[out + 1] = key;
    store_sum<F>(next_sums + out + 1, is_first ? LaneSum<F>::infinity() : sum);
  }
}

/// buckets[b] += fresh[b].
template <class F>
__global__ void __launch_bounds__(block_threads)
    add_fresh(const algebra::Xyzz<F>* fresh, std::uint32_t count, algebra::Xyzz<F>* buckets) {
  const std::uint32_t work = work_index<F>();
  if (work >= count) return;
  LaneSum<F> sum = load_sum<F>(buckets + work);
  add_sum(sum, load_sum<F>(fresh + work));
  store_sum<F>(buckets + work, sum);
}

}  // namespace penstock::msm
