// How many lanes work one point, and how they load and store their parts of it: one for G1, two for G2, of
// which the even one holds the c0's.
#pragma once

#include "common/algebra/curve.hpp"
#include "common/algebra/fp2.hpp"
#include "cuda/field/half_fp2.cuh"

namespace penstock::msm {

template <class F>
struct Lanes {
  static constexpr int width = 1;
  using Coordinate = F;
  static __device__ __forceinline__ F load(const F* from) { return *from; }
  static __device__ __forceinline__ void store(F* to, const F& value) { *to = value; }
};

template <class Base>
struct Lanes<algebra::Fp2<Base>> {
  static constexpr int width = 2;
  using Coordinate = algebra::HalfFp2<Base>;
  static __device__ __forceinline__ Coordinate load(const algebra::Fp2<Base>* from) {
    return {reinterpret_cast<const Base*>(from)[Coordinate::parity()]};
  }
  static __device__ __forceinline__ void store(algebra::Fp2<Base>* to, const Coordinate& value) {
    reinterpret_cast<Base*>(to)[Coordinate::parity()] = value.c;
  }
};

/// A lane's part of a point and of a sum.
template <class F>
using LanePoint = algebra::Affine<typename Lanes<F>::Coordinate>;
template <class F>
using LaneSum = algebra::Xyzz<typename Lanes<F>::Coordinate>;

template <class F>
__device__ __forceinline__ LanePoint<F> load_point(const algebra::Affine<F>* from) {
  return {Lanes<F>::load(&from->x), Lanes<F>::load(&from->y)};
}
template <class F>
__device__ __forceinline__ LaneSum<F> load_sum(const algebra::Xyzz<F>* from) {
  return {Lanes<F>::load(&from->x), Lanes<F>::load(&from->y), Lanes<F>::load(&from->zz),
          Lanes<F>::load(&from->zzz)};
}
template <class F>
__device__ __forceinline__ void store_sum(algebra::Xyzz<F>* to, const LaneSum<F>& sum) {
  Lanes<F>::store(&to->x, sum.x);
  Lanes<F>::store(&to->y, sum.y);
  Lanes<F>::store(&to->zz, sum.zz);
  Lanes<F>::store(&to->zzz, sum.zzz);
}

/// The index of the lanes' common work in the grid, and in the block.
template <class F>
__device__ __forceinline__ std::uint32_t work_index() {
  return (blockIdx.x * blockDim.x + threadIdx.x) / Lanes<F>::width;
}
template <class F>
__device__ __forceinline__ int work_in_block() {
  return static_cast<int>(threadIdx.x) / Lanes<F>::width;
}

}  // namespace penstock::msm
