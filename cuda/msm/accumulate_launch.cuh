// The host side of accumulate.cuh for one coordinate field: sizes the launches and enqueues
// them in order.
#pragma once

#include <algorithm>

#include "cuda/msm/accumulate.cuh"

namespace penstock::msm {

template <class F>
Workspace<F> make_workspace(cuda::DeviceHeap& heap, const Plan& plan) {
  Workspace<F> workspace;
  workspace.buckets = {heap, plan.buckets()};
  // The reduction reuses the partials: its first level writes a quarter of few buckets or an eighth of many.
  const std::uint64_t widest = std::max<std::uint64_t>(
      2 * most_runs<F>, plan.buckets() / 8 + 2 * static_cast<std::uint64_t>(plan.sets));
  for (int k = 0; k < 2; ++k) {
    workspace.partials[k] = {heap, widest};
    workspace.partial_keys[k] = {heap, 2 * most_runs<F>};
  }
  return workspace;
}

template <class F>
void merge_all_partials(const cuda::Stream& stream, Workspace<F>& workspace, std::uint32_t partials) {
  constexpr std::uint32_t size = scan_size<F>;
  for (int from = 0;; from ^= 1) {
    const std::uint32_t blocks = (partials + size - 1) / size;
    merge_partials<F><<<blocks, block_threads, 0, stream.get()>>>(
        workspace.partial_keys[from].data(), workspace.partials[from].data(), partials,
        workspace.buckets.data(), workspace.partial_keys[from ^ 1].data(),
        workspace.partials[from ^ 1].data(), blocks == 1 ? 1 : 0);
    cuda::check_launch();
    if (blocks == 1) return;
    partials = 2 * blocks;
  }
}

/// Runs of at least `shortest_run`, and where there are many, whole waves of them.
template <class F>
std::uint32_t runs_of(std::uint32_t count) {
  const std::uint32_t wanted = std::min(most_runs<F>, count / shortest_run);
  if (wanted < runs_in_wave<F>) return std::max<std::uint32_t>(1, wanted);
  return wanted / runs_in_wave<F> * runs_in_wave<F>;
}

template <class F>
void accumulate(const cuda::Stream& stream, const Plan& plan, const DigitList& list,
                const algebra::Affine<F>* table, Workspace<F>& workspace, algebra::Xyzz<F>* result) {
  cuda::fill_zero(stream, workspace.buckets.data(), workspace.buckets.size_bytes());
  if (list.count > 0) {
    const std::uint32_t wanted = runs_of<F>(list.count);
    const std::uint32_t run = (list.count + wanted - 1) / wanted;
    const std::uint32_t runs = (list.count + run - 1) / run;
    accumulate_runs<F>
        <<<(runs * Lanes<F>::width + block_threads - 1) / block_threads, block_threads, 0, stream.get()>>>(
            list.keys[1].data(), list.values[1].data(), list.count, run, runs, table,
            workspace.buckets.data(), workspace.partial_keys[0].data(), workspace.partials[0].data());
    cuda::check_launch();
    merge_all_partials(stream, workspace, 2 * runs);
  }
  reduce_buckets(stream, plan, workspace, result);
}

#define PENSTOCK_ACCUMULATE_INSTANCES(F)                                                                     \
  template Workspace<F> make_workspace<F>(cuda::DeviceHeap&, const Plan&);                                   \
  template void accumulate<F>(const cuda::Stream&, const Plan&, const DigitList&, const algebra::Affine<F>*, \
                              Workspace<F>&, algebra::Xyzz<F>*)

}  // namespace penstock::msm
