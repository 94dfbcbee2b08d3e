// The host side of accumulate.cuh for one coordinate field: sizes the launches and enqueues
// them in order.
#pragma once

#include <algorithm>

#include "cuda/msm/accumulate.cuh"

namespace penstock::msm {

/// Runs of at least `shortest_run`, and where there are many, whole waves of them.
template <class F>
std::uint32_t runs_of(std::uint64_t count) {
  const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_runs<F>, count / shortest_run));
  if (wanted < runs_in_wave<F>) return std::max<std::uint32_t>(1, wanted);
  return wanted / runs_in_wave<F> * runs_in_wave<F>;
}

template <class F>
Scratch<F> make_scratch(cuda::DeviceHeap& heap, const Plan& plan, std::uint64_t pairs, bool in_chunks) {
  Scratch<F> scratch;
  const std::uint64_t partials = 2 * std::uint64_t{runs_of<F>(pairs)};
  // The reduction reuses the partials: for its first level's sums, and for its last levels' two a set.
  constexpr std::uint64_t last_levels = 1024;
  const std::uint64_t widest =
      std::max<std::uint64_t>(partials, (plan.buckets() >> serial_width_log2(plan.buckets())) + last_levels);
  for (int k = 0; k < 2; ++k) {
    scratch.partials[k] = {heap, widest};
    scratch.partial_keys[k] = {heap, partials};
  }
  if (in_chunks) scratch.fresh = {heap, plan.buckets()};
  return scratch;
}

template <class F>
void merge_all_partials(const cuda::Stream& stream, algebra::Xyzz<F>* buckets, Scratch<F>& scratch,
                        std::uint32_t partials) {
  constexpr std::uint32_t size = scan_size<F>;
  for (int from = 0;; from ^= 1) {
    const std::uint32_t blocks = (partials + size - 1) / size;
    merge_partials<F><<<blocks, block_threads, 0, stream.get()>>>(
        scratch.partial_keys[from].data(), scratch.partials[from].data(), partials, buckets,
        scratch.partial_keys[from ^ 1].data(), scratch.partials[from ^ 1].data(), blocks == 1 ? 1 : 0);
    cuda::check_launch();
    if (blocks == 1) return;
    partials = 2 * blocks;
  }
}

template <class F>
void add_to_buckets(const cuda::Stream& stream, const Plan& plan, const DigitList& list, bool first,
                    const algebra::Affine<F>* table, algebra::Xyzz<F>* buckets, Scratch<F>& scratch) {
  algebra::Xyzz<F>* sums = first ? buckets : scratch.fresh.data();
  if (first || list.count > 0) cuda::fill_zero(stream, sums, plan.buckets() * sizeof(algebra::Xyzz<F>));
  if (list.count == 0) return;
  const std::uint32_t wanted = runs_of<F>(list.count);
  const std::uint32_t run = (list.count + wanted - 1) / wanted;
  const std::uint32_t runs = (list.count + run - 1) / run;
  const auto blocks_of = [](std::uint32_t work) {
    return (work * Lanes<F>::width + block_threads - 1) / block_threads;
  };
  accumulate_runs<F><<<blocks_of(runs), block_threads, 0, stream.get()>>>(
      list.keys[list.sorted].data(), list.values[list.sorted].data(), list.count, run, runs, table, sums,
      scratch.partial_keys[0].data(), scratch.partials[0].data());
  cuda::check_launch();
  merge_all_partials(stream, sums, scratch, 2 * runs);
  if (first) return;
  add_fresh<F><<<blocks_of(plan.buckets()), block_threads, 0, stream.get()>>>(sums, plan.buckets(), buckets);
  cuda::check_launch();
}

#define PENSTOCK_ACCUMULATE_INSTANCES(F)                                                    \
  template Scratch<F> make_scratch<F>(cuda::DeviceHeap&, const Plan&, std::uint64_t, bool); \
  template void add_to_buckets<F>(const cuda::Stream&, const Plan&, const DigitList&, bool, \
                                  const algebra::Affine<F>*, algebra::Xyzz<F>*, Scratch<F>&)

}  // namespace penstock::msm
