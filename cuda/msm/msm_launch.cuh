// The host side of msm.hpp for one coordinate field: sizes the launches and enqueues them in order.
#pragma once

#include <algorithm>
#include <utility>

#include "cuda/msm/accumulate.cuh"
#include "cuda/msm/reduce.cuh"
#include "cuda/msm/tables.cuh"

namespace penstock::msm {

template <class F>
Workspace<F> make_workspace(cuda::DeviceHeap& heap, const Plan& plan) {
  Workspace<F> workspace;
  workspace.buckets = {heap, plan.buckets()};
  // The reduction reuses the partials: its first level writes at most a half of the buckets of all sets.
  const std::uint64_t widest = std::max<std::uint64_t>(2 * most_runs, plan.buckets() / 8 + 2 * plan.sets);
  for (int k = 0; k < 2; ++k) {
    workspace.partials[k] = {heap, widest};
    workspace.partial_keys[k] = {heap, 2 * most_runs};
  }
  return workspace;
}

template <class F>
void merge_all_partials(const cuda::Stream& stream, Workspace<F>& workspace, std::uint32_t partials) {
  constexpr std::uint32_t threads = scan_threads<F>;
  for (int from = 0;; from ^= 1) {
    const std::uint32_t blocks = (partials + threads - 1) / threads;
    merge_partials<F><<<blocks, threads, 0, stream.get()>>>(
        workspace.partial_keys[from].data(), workspace.partials[from].data(), partials,
        workspace.buckets.data(), workspace.partial_keys[from ^ 1].data(),
        workspace.partials[from ^ 1].data(), blocks == 1 ? 1 : 0);
    cuda::check_launch();
    if (blocks == 1) return;
    partials = 2 * blocks;
  }
}

/// Levels alternate between two places, each holding sums then weighted sums.
template <class F>
void reduce_buckets(const cuda::Stream& stream, const Plan& plan, Workspace<F>& workspace,
                    algebra::Xyzz<F>* result) {
  constexpr std::uint32_t threads = scan_threads<F>;
  const auto sets = static_cast<std::uint32_t>(plan.sets);
  std::uint32_t count = plan.buckets_per_set();
  const algebra::Xyzz<F>* sums = workspace.buckets.data();
  const algebra::Xyzz<F>* weighted = nullptr;
  int shift = 0, to = 0;
  if (count >= serial_level_from) {
    count >>= serial_width_log2;
    const std::uint32_t outputs = count * sets;
    reduce_serially<F><<<(outputs + 127) / 128, 128, 0, stream.get()>>>(
        sums, outputs, workspace.partials[0].data(), workspace.partials[1].data());
    cuda::check_launch();
    sums = workspace.partials[0].data();
    weighted = workspace.partials[1].data();
    shift = serial_width_log2;
    // The buckets are free from here on: the next level writes there, and then the two places alternate.
    to = 2;
  }
  do {
    const std::uint32_t blocks = (count + threads - 1) / threads;
    const std::uint32_t outputs = blocks * sets;
    algebra::Xyzz<F>* next_sums = to == 2 ? workspace.buckets.data() : workspace.partials[to].data();
    algebra::Xyzz<F>* next_weighted = next_sums + outputs;
    reduce_by_scan<F><<<dim3(blocks, sets), threads, 0, stream.get()>>>(sums, weighted, count, shift,
                                                                        next_sums, next_weighted);
    cuda::check_launch();
    sums = next_sums;
    weighted = next_weighted;
    count = blocks;
    shift += threads == 128 ? 7 : 6;
    to = to == 2 ? 0 : to ^ 1;
  } while (count > 1);
  combine_sets<F><<<1, 1, 0, stream.get()>>>(sums, weighted, plan.sets, plan.window_bits, result);
  cuda::check_launch();
}

template <class F>
void accumulate(const cuda::Stream& stream, const Plan& plan, const DigitList& list,
                const algebra::Affine<F>* table, Workspace<F>& workspace, algebra::Xyzz<F>* result) {
  cuda::fill_zero(stream, workspace.buckets.data(), workspace.buckets.size_bytes());
  if (list.count > 0) {
    const std::uint32_t wanted = std::max<std::uint32_t>(1, std::min(most_runs, list.count / shortest_run));
    const std::uint32_t run = (list.count + wanted - 1) / wanted;
    const std::uint32_t runs = (list.count + run - 1) / run;
    accumulate_runs<F>
        <<<(runs + accumulate_threads - 1) / accumulate_threads, accumulate_threads, 0, stream.get()>>>(
            list.keys[1].data(), list.values[1].data(), list.count, run, runs, table,
            workspace.buckets.data(), workspace.partial_keys[0].data(), workspace.partials[0].data());
    cuda::check_launch();
    merge_all_partials(stream, workspace, 2 * runs);
  }
  reduce_buckets(stream, plan, workspace, result);
}

template <class F>
void build_table(const cuda::Stream& stream, const Plan& plan, std::uint64_t n, algebra::Affine<F>* table,
                 algebra::Xyzz<F>* sums, F* scratch) {
  if (n == 0) return;
  const std::uint64_t threads = (n + inversion_group - 1) / inversion_group;
  for (int q = 1; q < plan.tables; ++q) {
    const algebra::Affine<F>* previous = table + static_cast<std::uint64_t>(q - 1) * n;
    double_points<F><<<static_cast<unsigned>((n + 127) / 128), 128, 0, stream.get()>>>(
        previous, n, plan.window_bits * plan.sets, sums);
    cuda::check_launch();
    normalise<F><<<static_cast<unsigned>((threads + 127) / 128), 128, 0, stream.get()>>>(
        sums, n, threads, scratch, table + static_cast<std::uint64_t>(q) * n);
    cuda::check_launch();
  }
}

#define PENSTOCK_MSM_INSTANCES(F)                                                                            \
  template Workspace<F> make_workspace<F>(cuda::DeviceHeap&, const Plan&);                                   \
  template void accumulate<F>(const cuda::Stream&, const Plan&, const DigitList&, const algebra::Affine<F>*, \
                              Workspace<F>&, algebra::Xyzz<F>*);                                             \
  template void build_table<F>(const cuda::Stream&, const Plan&, std::uint64_t, algebra::Affine<F>*,         \
                               algebra::Xyzz<F>*, F*)

}  // namespace penstock::msm
