// From the buckets to one point: the sum over sets t of 2^(window_bits·t) · sum over b of (b+1)·bucket_b.
// A level turns `width` neighbours (A_j, V_j) into A = sum A_j and V = sum V_j + 2^shift · sum j·A_j; at the
// end of the levels the set's sum is V + A (weights from 1). The first level runs serially in threads (many
// buckets, no V), the others as scans in blocks (few elements, depth log).
#pragma once

#include "cuda/msm/accumulate.cuh"

namespace penstock::msm {

template <class F>
__global__ void __launch_bounds__(block_threads)
    reduce_serially(const algebra::Xyzz<F>* buckets, std::uint32_t outputs, int width_log2,
                    algebra::Xyzz<F>* sums, algebra::Xyzz<F>* weighted) {
  const std::uint32_t work = work_index<F>();
  if (work >= outputs) return;
  const algebra::Xyzz<F>* segment = buckets + (static_cast<std::uint64_t>(work) << width_log2);
  const int last = (1 << width_log2) - 1;
  LaneSum<F> sum = load_sum<F>(segment + last), total = sum;
#pragma unroll 1
  for (int j = last - 1; j >= 0; --j) {
    add_sum(sum, load_sum<F>(segment + j));
    if (j > 0) add_sum(total, sum);
  }
  store_sum<F>(sums + work, sum);
  store_sum<F>(weighted + work, total);
}

/// Grid: (ceil(count / scan_size), sets). 2^depth covers a block's elements: suffix sums in `depth` steps,
/// then the weighted sums of before, then a tree in `depth` steps. `weighted` may be null on the first level:
/// all infinity.
template <class F>
__global__ void __launch_bounds__(block_threads)
    reduce_by_scan(const algebra::Xyzz<F>* sums, const algebra::Xyzz<F>* weighted, std::uint32_t count,
                   int depth, int shift, algebra::Xyzz<F>* next_sums, algebra::Xyzz<F>* next_weighted) {
  __shared__ LaneSum<F> shared[block_threads];
  const int element = work_in_block<F>();
  const std::uint32_t at = blockIdx.x * scan_size<F> + static_cast<std::uint32_t>(element);
  const std::uint64_t base = static_cast<std::uint64_t>(blockIdx.y) * count;
  const std::uint64_t out = static_cast<std::uint64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
  LaneSum<F> sum = at < count ? load_sum<F>(sums + base + at) : LaneSum<F>::infinity();
#pragma unroll 1
  for (int step = 0; step <= 2 * depth; ++step) {
    const bool middle = step == depth;
    const int distance = step < depth ? 1 << step : 1 << (2 * depth - step);
    bool takes = step < depth ? element + distance < (1 << depth) : element < distance;
    if (middle) {
      takes = weighted != nullptr && at < count;
      if (element == 0) {
        store_sum<F>(next_sums + out, sum);
        sum = LaneSum<F>::infinity();  // j·A_j: the suffix sums from 1 on
      }
#pragma unroll 1
      for (int k = 0; k < shift; ++k) double_sum(sum);
    } else {
      shared[threadIdx.x] = sum;
    }
    __syncthreads();
    LaneSum<F> other = LaneSum<F>::infinity();
    if (takes)
      other = middle ? load_sum<F>(weighted + base + at)
                     : shared[threadIdx.x + static_cast<unsigned>(distance * Lanes<F>::width)];
    __syncthreads();
    if (takes) add_sum(sum, other);
  }
  if (element == 0) store_sum<F>(next_weighted + out, sum);
}

/// One thread, or two lanes: Horner over the sets.
template <class F>
__global__ void combine_sets(const algebra::Xyzz<F>* sums, const algebra::Xyzz<F>* weighted, int sets,
                             int window_bits, algebra::Xyzz<F>* result) {
  LaneSum<F> total = LaneSum<F>::infinity();
#pragma unroll 1
  for (int step = 2 * sets - 1; step >= 0; --step) {
    const int t = step / 2;
    if (step % 2 != 0 && t != sets - 1)
#pragma unroll 1
      for (int k = 0; k < window_bits; ++k) double_sum(total);
    add_sum(total, load_sum<F>((step % 2 != 0 ? sums : weighted) + t));
  }
  store_sum<F>(result, total);
}

}  // namespace penstock::msm
