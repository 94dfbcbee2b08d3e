// The host side of tables.cuh for one coordinate field.
#pragma once

#include "cuda/msm/tables.cuh"

namespace penstock::msm {

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

#define PENSTOCK_TABLE_INSTANCES(F)                                                                  \
  template void build_table<F>(const cuda::Stream&, const Plan&, std::uint64_t, algebra::Affine<F>*, \
                               algebra::Xyzz<F>*, F*)

}  // namespace penstock::msm
