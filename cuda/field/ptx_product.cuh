// Field arithmetic on the device: DeviceProduct<Params> behind common/algebra's switch.
// Shape: 2n 32-bit limbs of the n 64-bit ones; canonical in, canonical out.
// Method: a row-wise Montgomery product whose even and odd columns are kept apart, so that each lo/hi pair of
// mad
//   instructions fuses into one IMAD.WIDE with carry and no pair waits for another column (Emmart, "Faster
//   modular exponentiation using double precision floating point arithmetic on the GPU", 2018, section on
//   integer rows).
// Cost: 2n·2n + 2n·2n + 2n word products of 32 bits: 136 for 256 bits, 300 for 384 bits.
// The statements are volatile: they pass the carry flag on, so their order is their meaning.
#pragma once

#include <cstdint>

namespace penstock::algebra {

namespace ptx {

#define PENSTOCK_ROW __device__ __forceinline__

template <int n>
struct Limbs32 {
  std::uint32_t v[n];
};

template <int n>
PENSTOCK_ROW Limbs32<2 * n> split(const std::uint64_t (&wide)[n]) {
  Limbs32<2 * n> narrow;
#pragma unroll
  for (int i = 0; i < n; ++i) {
    narrow.v[2 * i] = static_cast<std::uint32_t>(wide[i]);
    narrow.v[2 * i + 1] = static_cast<std::uint32_t>(wide[i] >> 32);
  }
  return narrow;
}

template <int n>
PENSTOCK_ROW void join(std::uint64_t (&wide)[n], const std::uint32_t* narrow) {
#pragma unroll
  for (int i = 0; i < n; ++i) wide[i] = narrow[2 * i] | (static_cast<std::uint64_t>(narrow[2 * i + 1]) << 32);
}

/// acc = a[0], a[2], … times b.
template <int n>
PENSTOCK_ROW void row_product(std::uint32_t* acc, const std::uint32_t* a, std::uint32_t b) {
#pragma unroll
  for (int j = 0; j < n; j += 2)
    asm volatile("mul.lo.u32 %0, %2, %3; mul.hi.u32 %1, %2, %3;"
                 : "=r"(acc[j]), "=r"(acc[j + 1])
                 : "r"(a[j]), "r"(b));
}

/// acc += a[0], a[2], … times b; the carry out stays in the flag.
template <int n>
PENSTOCK_ROW void row_add(std::uint32_t* acc, const std::uint32_t* a, std::uint32_t b) {
  asm volatile("mad.lo.cc.u32 %0, %2, %3, %0; madc.hi.cc.u32 %1, %2, %3, %1;"
               : "+r"(acc[0]), "+r"(acc[1])
               : "r"(a[0]), "r"(b));
#pragma unroll
  for (int j = 2; j < n; j += 2)
    asm volatile("madc.lo.cc.u32 %0, %2, %3, %0; madc.hi.cc.u32 %1, %2, %3, %1;"
                 : "+r"(acc[j]), "+r"(acc[j + 1])
                 : "r"(a[j]), "r"(b));
}

/// acc = (acc >> 64) + a[0], a[2], … times b + carry in.
template <int n>
PENSTOCK_ROW void row_add_shifted(std::uint32_t* acc, const std::uint32_t* a, std::uint32_t b) {
#pragma unroll
  for (int j = 0; j < n - 2; j += 2)
    asm volatile("madc.lo.cc.u32 %0, %2, %3, %4; madc.hi.cc.u32 %1, %2, %3, %5;"
                 : "=r"(acc[j]), "=r"(acc[j + 1])
                 : "r"(a[j]), "r"(b), "r"(acc[j + 2]), "r"(acc[j + 3]));
  asm volatile("madc.lo.cc.u32 %0, %2, %3, 0; madc.hi.u32 %1, %2, %3, 0;"
               : "=r"(acc[n - 2]), "=r"(acc[n - 1])
               : "r"(a[n - 2]), "r"(b));
}

PENSTOCK_ROW void add_carry_to(std::uint32_t& limb) {
  asm volatile("addc.u32 %0, %0, 0;" : "+r"(limb));
}

/// odd += m·(p[1], p[3], …), even += m·(p[0], p[2], …) for the m that makes even[0] zero.
template <int n>
PENSTOCK_ROW void cancel_lowest(std::uint32_t* even, std::uint32_t* odd, const std::uint32_t* p,
                                std::uint32_t negated_inverse) {
  const std::uint32_t m = even[0] * negated_inverse;
  row_add<n>(odd, p + 1, m);
  row_add<n>(even, p, m);
  add_carry_to(odd[n - 1]);
}

/// (even, odd) = (even, odd) >> 32 + a·b; the caller swaps the two before each row but the first.
template <int n>
PENSTOCK_ROW void add_row(std::uint32_t* even, std::uint32_t* odd, const std::uint32_t* a, std::uint32_t b,
                          bool first) {
  if (first) {
    row_product<n>(odd, a + 1, b);
    row_product<n>(even, a, b);
  } else {
    asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(even[0]) : "r"(odd[1]));
    row_add_shifted<n>(odd, a + 1, b);
    row_add<n>(even, a, b);
    add_carry_to(odd[n - 1]);
  }
}

/// (even, odd) += a·b in a row that has begun.
template <int n>
PENSTOCK_ROW void add_to_row(std::uint32_t* even, std::uint32_t* odd, const std::uint32_t* a,
                             std::uint32_t b) {
  row_add<n>(odd, a + 1, b);
  row_add<n>(even, a, b);
  add_carry_to(odd[n - 1]);
}

/// value = min(value, value - p) for value < 2p < 2^(32n).
template <int n>
PENSTOCK_ROW void reduce_once(std::uint32_t* value, const std::uint32_t* p) {
  std::uint32_t reduced[n], borrow;
  asm volatile("sub.cc.u32 %0, %1, %2;" : "=r"(reduced[0]) : "r"(value[0]), "r"(p[0]));
#pragma unroll
  for (int i = 1; i < n; ++i)
    asm volatile("subc.cc.u32 %0, %1, %2;" : "=r"(reduced[i]) : "r"(value[i]), "r"(p[i]));
  asm volatile("subc.u32 %0, 0, 0;" : "=r"(borrow));
#pragma unroll
  for (int i = 0; i < n; ++i) value[i] = borrow != 0 ? value[i] : reduced[i];
}

/// value += p where the mask is all ones; the carry out is dropped.
template <int n>
PENSTOCK_ROW void add_masked(std::uint32_t* value, const std::uint32_t* p, std::uint32_t mask) {
  asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(value[0]) : "r"(p[0] & mask));
#pragma unroll
  for (int i = 1; i < n - 1; ++i) asm volatile("addc.cc.u32 %0, %0, %1;" : "+r"(value[i]) : "r"(p[i] & mask));
  asm volatile("addc.u32 %0, %0, %1;" : "+r"(value[n - 1]) : "r"(p[n - 1] & mask));
}

}  // namespace ptx

}  // namespace penstock::algebra

#include "cuda/field/ptx_square.cuh"

namespace penstock::algebra {

template <class Params>
struct DeviceProduct {
  static constexpr int n = Params::limb_count;
  static constexpr int n32 = 2 * n;
  using K = FieldConstants<Params>;
  static constexpr auto negated_inverse = static_cast<std::uint32_t>(K::negated_inverse);

  PENSTOCK_ROW static void load_modulus(std::uint32_t (&p)[n32]) {
    constexpr typename K::Raw modulus = K::modulus;
#pragma unroll
    for (int i = 0; i < n32; ++i) p[i] = static_cast<std::uint32_t>(modulus.limb[i / 2] >> (32 * (i % 2)));
  }

  /// even = (even + odd·2^32) / 2^32 after the last row, canonical.
  template <int words>
  PENSTOCK_ROW static void finish(std::uint32_t (&even)[words], const std::uint32_t (&odd)[words],
                                  const std::uint32_t (&p)[words]) {
    asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(even[0]) : "r"(odd[1]));
#pragma unroll
    for (int i = 1; i < words - 1; ++i)
      asm volatile("addc.cc.u32 %0, %0, %1;" : "+r"(even[i]) : "r"(odd[i + 1]));
    ptx::add_carry_to(even[words - 1]);
    ptx::reduce_once<words>(even, p);
  }

  using Wide = std::uint64_t[n];

  PENSTOCK_ROW static void multiply(Wide& result, const Wide& a64, const Wide& b64) {
    std::uint32_t p[n32], even[n32], odd[n32];
    load_modulus(p);
    const auto a = ptx::split<n>(a64), b = ptx::split<n>(b64);
#pragma unroll
    for (int i = 0; i < n32; i += 2) {
      ptx::add_row<n32>(even, odd, a.v, b.v[i], i == 0);
      ptx::cancel_lowest<n32>(even, odd, p, negated_inverse);
      ptx::add_row<n32>(odd, even, a.v, b.v[i + 1], false);
      ptx::cancel_lowest<n32>(odd, even, p, negated_inverse);
    }
    finish<n32>(even, odd, p);
    ptx::join<n>(result, even);
  }

  /// result = a·b + c·d: one reduction for two products. REQUIRES 5p < 2^(32·n32), the base fields' case: a
  /// row's sum stays below 3p, the result below 2p before its subtraction. Cost: 3n32² + n32 word products.
  PENSTOCK_ROW static void sum_of_products(Wide& result, const Wide& a64, const Wide& b64, const Wide& c64,
                                           const Wide& d64) {
    std::uint32_t p[n32], even[n32], odd[n32];
    load_modulus(p);
    const auto a = ptx::split<n>(a64), b = ptx::split<n>(b64), c = ptx::split<n>(c64), d = ptx::split<n>(d64);
#pragma unroll
    for (int i = 0; i < n32; i += 2) {
      ptx::add_row<n32>(even, odd, a.v, b.v[i], i == 0);
      ptx::add_to_row<n32>(even, odd, c.v, d.v[i]);
      ptx::cancel_lowest<n32>(even, odd, p, negated_inverse);
      ptx::add_row<n32>(odd, even, a.v, b.v[i + 1], false);
      ptx::add_to_row<n32>(odd, even, c.v, d.v[i + 1]);
      ptx::cancel_lowest<n32>(odd, even, p, negated_inverse);
    }
    finish<n32>(even, odd, p);
    ptx::join<n>(result, even);
  }
  PENSTOCK_ROW static void square(std::uint64_t (&result)[n], const std::uint64_t (&a64)[n]) {
    std::uint32_t p[n32], wide[2 * n32], reduced[n32];
    load_modulus(p);
    const auto a = ptx::split<n>(a64);
    ptx::wide_square<n32>(wide, a.v);
    ptx::reduce_wide<n32>(reduced, wide, p, negated_inverse);
    ptx::join<n>(result, reduced);
  }

  PENSTOCK_ROW static void add(std::uint64_t (&result)[n], const std::uint64_t (&a64)[n],
                               const std::uint64_t (&b64)[n]) {
    std::uint32_t p[n32];
    load_modulus(p);
    auto sum = ptx::split<n>(a64);
    const auto b = ptx::split<n>(b64);
    asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(sum.v[0]) : "r"(b.v[0]));
#pragma unroll
    for (int i = 1; i < n32 - 1; ++i) asm volatile("addc.cc.u32 %0, %0, %1;" : "+r"(sum.v[i]) : "r"(b.v[i]));
    asm volatile("addc.u32 %0, %0, %1;" : "+r"(sum.v[n32 - 1]) : "r"(b.v[n32 - 1]));
    ptx::reduce_once<n32>(sum.v, p);
    ptx::join<n>(result, sum.v);
  }

  PENSTOCK_ROW static void subtract(std::uint64_t (&result)[n], const std::uint64_t (&a64)[n],
                                    const std::uint64_t (&b64)[n]) {
    std::uint32_t p[n32], borrow;
    load_modulus(p);
    auto difference = ptx::split<n>(a64);
    const auto b = ptx::split<n>(b64);
    asm volatile("sub.cc.u32 %0, %0, %1;" : "+r"(difference.v[0]) : "r"(b.v[0]));
#pragma unroll
    for (int i = 1; i < n32; ++i)
      asm volatile("subc.cc.u32 %0, %0, %1;" : "+r"(difference.v[i]) : "r"(b.v[i]));
    asm volatile("subc.u32 %0, 0, 0;" : "=r"(borrow));
    ptx::add_masked<n32>(difference.v, p, borrow);
    ptx::join<n>(result, difference.v);
  }
};

#undef PENSTOCK_ROW

}  // namespace penstock::algebra
