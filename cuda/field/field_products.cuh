// Products as the kernels of curve arithmetic write them. Over a prime field they are inlined; what pairs of
// lanes call (HalfFp2) are functions of their own, in registers: an addition in G2 inlined is more straight
// code than the instruction caches feed, and minutes of compilation. (H200, G2 2^20: BN254 11.3 ms
// against 12.0 inlined, BLS12-381 23.8 against 24.7; in G1 2^22 the inlined ones win, 12.9 ms against 13.8
// and 26.3 against 28.1.)
#pragma once

#include "common/algebra/field.hpp"
#include "common/algebra/fp2.hpp"

namespace penstock::algebra {

template <class Params>
__device__ __forceinline__ Field<Params> times(const Field<Params>& a, const Field<Params>& b) {
  return a * b;
}
template <class Params>
__device__ __forceinline__ Field<Params> square_of(const Field<Params>& a) {
  return a.square();
}

template <class Params>
__device__ __noinline__ Field<Params> outlined_product(Field<Params> a, Field<Params> b) {
  return a * b;
}
/// a·b + c·d with one reduction.
template <class Params>
__device__ __noinline__ Field<Params> outlined_sum_of_products(Field<Params> a, Field<Params> b,
                                                               Field<Params> c, Field<Params> d) {
  Field<Params> result;
#if defined(__CUDA_ARCH__)
  DeviceProduct<Params>::sum_of_products(result.limb, a.limb, b.limb, c.limb, d.limb);
#endif
  return result;
}

/// A whole element of Fp2 in one lane: two reductions instead of three.
template <class F>
__device__ __forceinline__ Fp2<F> times(const Fp2<F>& a, const Fp2<F>& b) {
  return {outlined_sum_of_products(a.c0, b.c0, a.c1, -b.c1),
          outlined_sum_of_products(a.c0, b.c1, a.c1, b.c0)};
}
template <class F>
__device__ __forceinline__ Fp2<F> square_of(const Fp2<F>& a) {
  return {outlined_product(a.c0 + a.c1, a.c0 - a.c1), outlined_product(a.c0.doubled(), a.c1)};
}

}  // namespace penstock::algebra
