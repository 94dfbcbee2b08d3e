// Fixed-base tables: the points times powers of two, affine again by Montgomery's trick.
#pragma once

#include "cuda/msm/msm.hpp"

namespace penstock::msm {

inline constexpr int inversion_group =
    32;  ///< points that share one inversion: 3 products each and 1/32 of 600

template <class F>
__global__ void __launch_bounds__(128)
    double_points(const algebra::Affine<F>* points, std::uint64_t n, int doublings, algebra::Xyzz<F>* sums) {
  const std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  algebra::Xyzz<F> sum = algebra::Xyzz<F>::from(points[i]);
  for (int k = 0; k < doublings; ++k) sum.double_in_place();
  sums[i] = sum;
}

/// Thread t normalises t, t + threads, … so that neighbours read neighbours. prefix[i] holds the running
/// products.
template <class F>
__global__ void __launch_bounds__(128)
    normalise(const algebra::Xyzz<F>* sums, std::uint64_t n, std::uint64_t threads, F* prefix,
              algebra::Affine<F>* points) {
  const std::uint64_t thread = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  if (thread >= threads) return;
  F product = F::one();
  std::uint64_t last = thread;
  for (std::uint64_t i = thread; i < n; i += threads) {
    prefix[i] = product;
    if (!sums[i].is_infinity()) product = product * sums[i].zzz;
    last = i;
  }
  F inverse = product.inverse();
  for (std::uint64_t i = last;; i -= threads) {
    if (sums[i].is_infinity()) {
      points[i] = algebra::Affine<F>::infinity();
    } else {
      points[i] = sums[i].scaled(inverse * prefix[i]);
      inverse = inverse * sums[i].zzz;
    }
    if (i < threads) break;
  }
}

}  // namespace penstock::msm
