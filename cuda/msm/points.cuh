// Where the points of a sorted list are: in the fixed-base tables, by index and sign, or one after another.
#pragma once

#include "common/algebra/curve.hpp"
#include "cuda/msm/msm_plan.hpp"

namespace penstock::msm {

template <class F>
struct TablePoints {
  const algebra::Affine<F>* table;
  const std::uint32_t* values;

  __device__ __forceinline__ F x(std::uint32_t i) const { return table[values[i] & ~sign_bit].x; }
  __device__ __forceinline__ algebra::Affine<F> point(std::uint32_t i) const {
    const std::uint32_t value = values[i];
    algebra::Affine<F> point = table[value & ~sign_bit];
    if ((value & sign_bit) != 0) point.y = -point.y;
    return point;
  }
};

template <class F>
struct PlainPoints {
  const algebra::Affine<F>* points;

  __device__ __forceinline__ F x(std::uint32_t i) const { return points[i].x; }
  __device__ __forceinline__ algebra::Affine<F> point(std::uint32_t i) const { return points[i]; }
};

}  // namespace penstock::msm
