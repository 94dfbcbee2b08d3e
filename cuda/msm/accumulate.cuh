// From the sorted pairs to the buckets. Every thread adds an equal run of the list, so a bucket of ten
// million ones is as quick as ten million buckets of one. A bucket inside a run is finished there; the first
// and the last of a run are `partials`: a list, again sorted by bucket, an eighth of a percent as long,
// merged by segmented scans of blocks.
#pragma once

#include "cuda/msm/msm.hpp"

namespace penstock::msm {

inline constexpr int accumulate_threads = 128;
inline constexpr std::uint32_t most_runs =
    132 * 12 * accumulate_threads;  ///< about four waves on 132 multiprocessors
inline constexpr std::uint32_t shortest_run = 16;

/// Threads of one scan block: its points fit 24 KiB of shared memory.
template <class F>
inline constexpr int scan_threads = sizeof(algebra::Xyzz<F>) > 256 ? 64 : 128;

template <class F>
__device__ __noinline__ algebra::Xyzz<F> double_of(algebra::Affine<F> point) {
  algebra::Xyzz<F> sum = algebra::Xyzz<F>::from(point);
  sum.double_in_place();
  return sum;
}

/// sum += point: madd-2008-s, 8M + 2S, with the rare doubling out of line, so that it costs no registers
/// here.
template <class F>
__device__ __forceinline__ void add_point(algebra::Xyzz<F>& sum, const algebra::Affine<F>& point) {
  if (point.is_infinity()) return;
  if (sum.is_infinity()) {
    sum = {point.x, point.y, F::one(), F::one()};
    return;
  }
  const F p = point.x * sum.zz - sum.x;
  const F r = point.y * sum.zzz - sum.y;
  if (p.is_zero()) {
    sum = r.is_zero() ? double_of(point) : algebra::Xyzz<F>::infinity();
    return;
  }
  const F pp = p.square();
  const F ppp = p * pp;
  const F q = sum.x * pp;
  sum.x = r.square() - ppp - q.doubled();
  sum.y = r * (q - sum.x) - sum.y * ppp;
  sum.zz = sum.zz * pp;
  sum.zzz = sum.zzz * ppp;
}

/// sum + other, out of line: the scans call it from several places.
template <class F>
__device__ __noinline__ void add_sum(algebra::Xyzz<F>& sum, const algebra::Xyzz<F>& other) {
  sum.add(other);
}

template <class F>
__global__ void __launch_bounds__(accumulate_threads)
    accumulate_runs(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t count,
                    std::uint32_t run, std::uint32_t runs, const algebra::Affine<F>* table,
                    algebra::Xyzz<F>* buckets, std::uint32_t* partial_keys, algebra::Xyzz<F>* partials) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= runs) return;
  const std::uint32_t begin = thread * run;
  const std::uint32_t end = count - begin < run ? count : begin + run;
  algebra::Xyzz<F> sum = algebra::Xyzz<F>::infinity();
  std::uint32_t key = keys[begin];
  bool first = true;
  partial_keys[2 * thread] = key;
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t next = keys[i];
    if (next != key) {
      if (first)
        partials[2 * thread] = sum;
      else
        buckets[key] = sum;
      first = false;
      key = next;
      sum = algebra::Xyzz<F>::infinity();
    }
    const std::uint32_t value = values[i];
    algebra::Affine<F> point = table[value & ~sign_bit];
    if ((value & sign_bit) != 0) point.y = -point.y;
    add_point(sum, point);
  }
  partial_keys[2 * thread + 1] = key;
  partials[2 * thread + 1] = first ? algebra::Xyzz<F>::infinity() : sum;
  if (first) partials[2 * thread] = sum;
}

/// One block merges `scan_threads` partials into at most two, and finishes the buckets that lie inside. With
/// `last` there is one block and every bucket is finished.
template <class F>
__global__ void __launch_bounds__(scan_threads<F>)
    merge_partials(const std::uint32_t* keys, const algebra::Xyzz<F>* sums, std::uint32_t count,
                   algebra::Xyzz<F>* buckets, std::uint32_t* next_keys, algebra::Xyzz<F>* next_sums,
                   int last) {
  constexpr int threads = scan_threads<F>;
  __shared__ std::uint32_t key_of[threads];
  __shared__ algebra::Xyzz<F> sum_of[threads];
  const int lane = static_cast<int>(threadIdx.x);
  const std::uint32_t begin = blockIdx.x * threads;
  const int size = static_cast<int>(count - begin < threads ? count - begin : threads);
  algebra::Xyzz<F> sum = algebra::Xyzz<F>::infinity();
  if (lane < size) {
    key_of[lane] = keys[begin + lane];
    sum = sums[begin + lane];
  }
  for (int distance = 1; distance < threads; distance *= 2) {
    sum_of[lane] = sum;
    __syncthreads();
    if (lane < size && lane >= distance && key_of[lane - distance] == key_of[lane])
      add_sum(sum, sum_of[lane - distance]);
    __syncthreads();
  }
  if (lane >= size) return;
  const bool ends_here = lane == size - 1 || key_of[lane + 1] != key_of[lane];
  if (!ends_here) return;
  const std::uint32_t key = key_of[lane];
  const bool is_first = key == key_of[0], is_last = lane == size - 1;
  if (last || (!is_first && !is_last)) {
    buckets[key] = sum;
    return;
  }
  const std::uint32_t out = 2 * blockIdx.x;
  if (is_first) {
    next_keys[out] = key;
    next_sums[out] = sum;
  }
  if (is_last) {
    next_keys[out + 1] = key;
    next_sums[out + 1] = is_first ? algebra::Xyzz<F>::infinity() : sum;
  }
}

}  // namespace penstock::msm
