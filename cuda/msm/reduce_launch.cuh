// The host side of reduce.cuh for one coordinate field.
#pragma once

#include <algorithm>

#include "cuda/msm/reduce.cuh"

namespace penstock::msm {

/// Levels alternate between two places, each holding sums then weighted sums.
template <class F>
void reduce_buckets(const cuda::Stream& stream, const Plan& plan, algebra::Xyzz<F>* buckets,
                    Scratch<F>& scratch, algebra::Xyzz<F>* result) {
  constexpr std::uint32_t size = scan_size<F>;
  const auto sets = static_cast<std::uint32_t>(plan.sets);
  const int width_log2 = std::min(serial_width_log2(plan.buckets()), plan.window_bits - 1);
  std::uint32_t count = plan.buckets_per_set() >> width_log2;
  const std::uint32_t serial = count * sets;
  reduce_serially<F>
      <<<(serial * Lanes<F>::width + block_threads - 1) / block_threads, block_threads, 0, stream.get()>>>(
          buckets, serial, width_log2, scratch.partials[0].data(), scratch.partials[1].data());
  cuda::check_launch();
  const algebra::Xyzz<F>*sums = scratch.partials[0].data(), *weighted = scratch.partials[1].data();
  int shift = width_log2;
  bool to_buckets = true;  // the buckets are free from here on: every other level writes there
  while (count > 1) {
    const std::uint32_t blocks = (count + size - 1) / size, outputs = blocks * sets;
    int depth = 0;
    while ((1u << depth) < std::min(count, size)) ++depth;
    algebra::Xyzz<F>* next_sums = to_buckets ? buckets : scratch.partials[0].data();
    algebra::Xyzz<F>* next_weighted = next_sums + outputs;
    reduce_by_scan<F><<<dim3(blocks, sets), block_threads, 0, stream.get()>>>(
        sums, weighted, count, depth, shift, next_sums, next_weighted);
    cuda::check_launch();
    sums = next_sums;
    weighted = next_weighted;
    count = blocks;
    shift += depth;
    to_buckets = !to_buckets;
  }
  combine_sets<F>
      <<<1, Lanes<F>::width, 0, stream.get()>>>(sums, weighted, plan.sets, plan.window_bits, result);
  cuda::check_launch();
}

#define PENSTOCK_REDUCE_INSTANCES(F)                                                                \
  template void reduce_buckets<F>(const cuda::Stream&, const Plan&, algebra::Xyzz<F>*, Scratch<F>&, \
                                  algebra::Xyzz<F>*)

}  // namespace penstock::msm
