// From the buckets to one point: the sum over sets t of 2^(window_bits·t) · sum over b of (b+1)·bucket_b.
// A level turns `width` neighbours (A_j, V_j) into A = sum A_j and V = sum V_j + 2^shift · sum j·A_j; at the
// end of the levels the set's sum is V + A (weights from 1). The first level runs serially in threads (many
// buckets, no V), the others as scans in blocks (few elements, depth log).
#pragma once

#include "cuda/msm/accumulate.cuh"

namespace penstock::msm {

inline constexpr int serial_width_log2 = 3;
/// Below this many buckets the scans alone are quicker: latency, not additions, is the cost.
inline constexpr std::uint32_t serial_level_from = 1u << 16;

template <class F>
__global__ void __launch_bounds__(128) reduce_serially(const algebra::Xyzz<F>* buckets, std::uint32_t outputs,
                                                       algebra::Xyzz<F>* sums, algebra::Xyzz<F>* weighted) {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= outputs) return;
  const algebra::Xyzz<F>* segment = buckets + (static_cast<std::uint64_t>(thread) << serial_width_log2);
  algebra::Xyzz<F> sum = segment[(1 << serial_width_log2) - 1];
  algebra::Xyzz<F> total = sum;
  for (int j = (1 << serial_width_log2) - 2; j > 0; --j) {
    add_sum(sum, segment[j]);
    add_sum(total, sum);
  }
  add_sum(sum, segment[0]);
  sums[thread] = sum;
  weighted[thread] = total;
}

/// Grid: (ceil(count / scan_threads), sets). `weighted` may be null on the first level: all infinity.
template <class F>
__global__ void __launch_bounds__(scan_threads<F>)
    reduce_by_scan(const algebra::Xyzz<F>* sums, const algebra::Xyzz<F>* weighted, std::uint32_t count,
                   int shift, algebra::Xyzz<F>* next_sums, algebra::Xyzz<F>* next_weighted) {
  constexpr int threads = scan_threads<F>;
  __shared__ algebra::Xyzz<F> shared[threads];
  const int lane = static_cast<int>(threadIdx.x);
  const std::uint32_t at = blockIdx.x * threads + threadIdx.x;
  const std::uint64_t base = static_cast<std::uint64_t>(blockIdx.y) * count;
  const std::uint64_t out = static_cast<std::uint64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
  algebra::Xyzz<F> sum = at < count ? sums[base + at] : algebra::Xyzz<F>::infinity();
  for (int distance = 1; distance < threads; distance *= 2) {  // suffix sums
    shared[lane] = sum;
    __syncthreads();
    if (lane + distance < threads) add_sum(sum, shared[lane + distance]);
    __syncthreads();
  }
  if (lane == 0) {
    next_sums[out] = sum;
    sum = algebra::Xyzz<F>::infinity();  // j·A_j: the suffix sums from 1 on
  }
  for (int k = 0; k < shift; ++k) sum.double_in_place();
  if (weighted != nullptr && at < count) add_sum(sum, weighted[base + at]);
  for (int distance = threads / 2; distance > 0; distance /= 2) {
    shared[lane] = sum;
    __syncthreads();
    if (lane < distance) add_sum(sum, shared[lane + distance]);
    __syncthreads();
  }
  if (lane == 0) next_weighted[out] = sum;
}

/// One thread: Horner over the sets.
template <class F>
__global__ void combine_sets(const algebra::Xyzz<F>* sums, const algebra::Xyzz<F>* weighted, int sets,
                             int window_bits, algebra::Xyzz<F>* result) {
  algebra::Xyzz<F> total = algebra::Xyzz<F>::infinity();
  for (int t = sets - 1; t >= 0; --t) {
    for (int k = 0; k < window_bits && t != sets - 1; ++k) total.double_in_place();
    add_sum(total, sums[t]);
    add_sum(total, weighted[t]);
  }
  *result = total;
}

}  // namespace penstock::msm
