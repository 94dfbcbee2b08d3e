// The kernels of fixed_base.hpp and their launches.
#pragma once

#include <vector>

#include "cuda/msm/accumulate.cuh"
#include "cuda/msm/fixed_base.hpp"
#include "cuda/msm/tables.cuh"

namespace penstock::msm {

inline constexpr std::uint32_t fixed_row = 1u << (fixed_window_bits - 1);

/// sums[w·fixed_row + d - 1] = d·firsts[w], by doubling and adding from d's highest bit.
template <class F>
__global__ void __launch_bounds__(block_threads)
    small_multiples(const algebra::Affine<F>* firsts, algebra::Xyzz<F>* sums) {
  const std::uint32_t work = work_index<F>();
  if (work >= fixed_row * fixed_windows) return;
  const LanePoint<F> first = load_point<F>(firsts + work / fixed_row);
  const std::uint32_t factor = work % fixed_row + 1;
  LaneSum<F> sum = LaneSum<F>::infinity();
#pragma unroll 1
  for (int bit = fixed_window_bits - 1; bit >= 0; --bit) {
    double_sum(sum);
    if (((factor >> bit) & 1) != 0) add_point(sum, first);
  }
  store_sum<F>(sums + work, sum);
}

template <class Fr, class F>
__global__ void __launch_bounds__(block_threads)
    multiply_kernel(const algebra::Affine<F>* entries, const Fr* scalars, std::uint32_t n,
                    algebra::Xyzz<F>* sums) {
  const std::uint32_t work = work_index<F>();
  if (work >= n) return;
  Fr unit = Fr::zero();
  unit.limb[0] = 1;
  const Fr plain = scalars[work] * unit;  // out of Montgomery form
  LaneSum<F> sum = LaneSum<F>::infinity();
  std::uint32_t carry = 0;
#pragma unroll 1
  for (int w = 0; w < fixed_windows; ++w) {
    const std::int32_t digit = signed_digit(plain.limb, fixed_window_bits, w, carry);
    if (digit == 0) continue;
    const auto magnitude = static_cast<std::uint32_t>(digit < 0 ? -digit : digit);
    LanePoint<F> point = load_point<F>(entries + static_cast<std::uint32_t>(w) * fixed_row + magnitude - 1);
    if (digit < 0) point.y = -point.y;
    add_point(sum, point);
  }
  store_sum<F>(sums + work, sum);
}

template <class F>
void enqueue_normalise(const cuda::Stream& stream, std::uint64_t n, const algebra::Xyzz<F>* sums, F* scratch,
                       algebra::Affine<F>* points) {
  const std::uint64_t threads = (n + inversion_group - 1) / inversion_group;
  normalise<F><<<static_cast<unsigned>((threads + 127) / 128), 128, 0, stream.get()>>>(sums, n, threads,
                                                                                       scratch, points);
  cuda::check_launch();
}

template <class F>
FixedBaseTable<F> build_fixed_base(const cuda::Stream& stream, cuda::DeviceHeap& heap,
                                   const algebra::Affine<F>& base) {
  std::vector<algebra::Affine<F>> firsts;
  auto power = algebra::Xyzz<F>::from(base);
  for (int w = 0; w < fixed_windows; ++w) {
    firsts.push_back(power.to_affine());
    for (int k = 0; k < fixed_window_bits; ++k) power.double_in_place();
  }
  constexpr std::uint32_t size = fixed_row * fixed_windows;
  FixedBaseTable<F> table;
  table.entries = {heap, size};
  const cuda::DeviceBuffer<algebra::Affine<F>> device_firsts(heap, fixed_windows);
  const cuda::DeviceBuffer<algebra::Xyzz<F>> sums(heap, size);
  const cuda::DeviceBuffer<F> scratch(heap, size);
  cuda::copy_to_device(stream, device_firsts.data(), firsts.data(), device_firsts.size_bytes());
  small_multiples<F><<<size * Lanes<F>::width / block_threads, block_threads, 0, stream.get()>>>(
      device_firsts.data(), sums.data());
  cuda::check_launch();
  enqueue_normalise(stream, size, sums.data(), scratch.data(), table.entries.data());
  stream.wait_until_idle();
  return table;
}

template <class Fr, class F>
void multiply_fixed_base(const cuda::Stream& stream, const FixedBaseTable<F>& table, const Fr* scalars,
                         std::uint64_t n, algebra::Xyzz<F>* sums, F* scratch, algebra::Affine<F>* points) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n * Lanes<F>::width + block_threads - 1) / block_threads);
  multiply_kernel<Fr, F><<<blocks, block_threads, 0, stream.get()>>>(table.entries.data(), scalars,
                                                                     static_cast<std::uint32_t>(n), sums);
  cuda::check_launch();
  enqueue_normalise(stream, n, sums, scratch, points);
}

#define PENSTOCK_FIXED_BASE_INSTANCES(Fr, F)                                                         \
  template FixedBaseTable<F> build_fixed_base<F>(const cuda::Stream&, cuda::DeviceHeap&,             \
                                                 const algebra::Affine<F>&);                         \
  template void multiply_fixed_base<Fr, F>(const cuda::Stream&, const FixedBaseTable<F>&, const Fr*, \
                                           std::uint64_t, algebra::Xyzz<F>*, F*, algebra::Affine<F>*)

}  // namespace penstock::msm
