// Fp2 on two neighbouring lanes of a warp: the even lane holds c0, the odd one c1. Half the registers and
// half the latency of a whole element; a product costs each lane 3n² + n word products, about Karatsuba's for
// both. Shape: API of Fp2. Threads: both lanes of a pair call every operation together, with conditions that
// are the same for both (is_zero and == are).
#pragma once

#include "common/algebra/field.hpp"
#include "cuda/field/field_products.cuh"

namespace penstock::algebra {

template <class F>
struct HalfFp2 {
  F c;

  static __device__ __forceinline__ unsigned parity() { return threadIdx.x & 1u; }
  static __device__ __forceinline__ unsigned pair_mask() { return 3u << (threadIdx.x & 30u); }
  static __device__ __forceinline__ F of_partner(const F& own) {
    F other;
#pragma unroll
    for (int i = 0; i < F::limb_count; ++i)
      other.limb[i] = __shfl_xor_sync(pair_mask(), static_cast<unsigned long long>(own.limb[i]), 1);
    return other;
  }
  static __device__ __forceinline__ F choose(bool first, const F& a, const F& b) {
    F result;
#pragma unroll
    for (int i = 0; i < F::limb_count; ++i) result.limb[i] = first ? a.limb[i] : b.limb[i];
    return result;
  }

  static __device__ __forceinline__ HalfFp2 zero() {
    return {F::zero()};
  }
  static __device__ __forceinline__ HalfFp2 one() {
    return {choose(parity() == 0, F::one(), F::zero())};
  }
  friend __device__ __forceinline__ HalfFp2 operator+(const HalfFp2& a, const HalfFp2& b) {
    return {a.c + b.c};
  }
  friend __device__ __forceinline__ HalfFp2 operator-(const HalfFp2& a, const HalfFp2& b) {
    return {a.c - b.c};
  }
  __device__ __forceinline__ HalfFp2 operator-() const {
    return {-c};
  }
  __device__ __forceinline__ HalfFp2 doubled() const {
    return {c + c};
  }
  __device__ __forceinline__ HalfFp2 square() const {
    return square_of(*this);
  }
  __device__ __forceinline__ HalfFp2& operator*=(const HalfFp2& other) {
    return *this = *this * other;
  }
  __device__ __forceinline__ bool is_zero() const {
    return __all_sync(pair_mask(), c.is_zero()) != 0;
  }
  friend __device__ __forceinline__ bool operator==(const HalfFp2& a, const HalfFp2& b) {
    return (a - b).is_zero();
  }
};

/// Even lane: a0·b0 + a1·(-b1); odd lane: a0·b1 + a1·b0.
template <class F>
__device__ __forceinline__ HalfFp2<F> times(const HalfFp2<F>& a, const HalfFp2<F>& b) {
  using Half = HalfFp2<F>;
  const bool even = Half::parity() == 0;
  const F other_a = Half::of_partner(a.c), other_b = Half::of_partner(b.c);
  return {outlined_sum_of_products(Half::choose(even, a.c, other_a), b.c, Half::choose(even, other_a, a.c),
                                   Half::choose(even, -other_b, other_b))};
}
/// Even lane: (c0 + c1)(c0 - c1); odd lane: 2·c1·c0.
template <class F>
__device__ __forceinline__ HalfFp2<F> square_of(const HalfFp2<F>& a) {
  using Half = HalfFp2<F>;
  const bool even = Half::parity() == 0;
  const F other = Half::of_partner(a.c);
  return {outlined_product(a.c + Half::choose(even, other, a.c), Half::choose(even, a.c - other, other))};
}

}  // namespace penstock::algebra
