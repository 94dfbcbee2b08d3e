// Squares: the products a_i·a_j once, doubled, then the reduction alone. n is the number of 32-bit limbs
// (even). Method: as ptx_product.cuh, even and odd columns apart. Cost in word products: n(n+1)/2 and, for
// the reduction, n² + n. Included by ptx_product.cuh, whose rows it uses.
#pragma once

#include <cstdint>

namespace penstock::algebra::ptx {

/// acc[0 .. n) += a[0], a[2], … times b and acc[n] += the carry.
template <int n>
__device__ __forceinline__ void row_add_carry(std::uint32_t* acc, const std::uint32_t* a, std::uint32_t b) {
  row_add<n>(acc, a, b);
  asm volatile("addc.u32 %0, %0, 0;" : "+r"(acc[n]));
}

/// even[k] + odd[k - 1]·2^32, 2n limbs, in even's place.
template <int n>
__device__ __forceinline__ void merge_columns(std::uint32_t (&even)[2 * n],
                                              const std::uint32_t (&odd)[2 * n]) {
  asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(even[1]) : "r"(odd[0]));
#pragma unroll
  for (int k = 2; k < 2 * n - 1; ++k)
    asm volatile("addc.cc.u32 %0, %0, %1;" : "+r"(even[k]) : "r"(odd[k - 1]));
  asm volatile("addc.u32 %0, %0, %1;" : "+r"(even[2 * n - 1]) : "r"(odd[2 * n - 2]));
}

/// Row i of the products a_i·a_j, i < j, and the rows after it.
template <int n, int i>
__device__ __forceinline__ void square_rows(std::uint32_t* even, std::uint32_t* odd, const std::uint32_t* a) {
  if constexpr (i < n - 1) {
    constexpr int odd_width = (n - i) / 2 * 2, even_width = (n - 1 - i) / 2 * 2;
    row_add_carry<odd_width>(odd + 2 * i, a + i + 1, a[i]);
    if constexpr (even_width > 0) row_add_carry<even_width>(even + 2 * i + 2, a + i + 2, a[i]);
    square_rows<n, i + 1>(even, odd, a);
  }
}

/// wide = a².
template <int n>
__device__ __forceinline__ void wide_square(std::uint32_t (&wide)[2 * n], const std::uint32_t* a) {
  std::uint32_t odd[2 * n];
#pragma unroll
  for (int k = 0; k < 2 * n; ++k) wide[k] = odd[k] = 0;
  row_product<n>(odd, a + 1, a[0]);
  row_product<n - 2>(wide + 2, a + 2, a[0]);
  square_rows<n, 1>(wide, odd, a);
  merge_columns<n>(wide, odd);
  asm volatile("add.cc.u32 %0, %0, %0;" : "+r"(wide[1]));
#pragma unroll
  for (int k = 2; k < 2 * n - 1; ++k) asm volatile("addc.cc.u32 %0, %0, %0;" : "+r"(wide[k]));
  asm volatile("addc.u32 %0, %0, %0;" : "+r"(wide[2 * n - 1]));
  asm volatile("mad.lo.cc.u32 %0, %2, %2, %0; madc.hi.cc.u32 %1, %2, %2, %1;"
               : "+r"(wide[0]), "+r"(wide[1])
               : "r"(a[0]));
#pragma unroll
  for (int i = 1; i < n; ++i)
    asm volatile("madc.lo.cc.u32 %0, %2, %2, %0; madc.hi.cc.u32 %1, %2, %2, %1;"
                 : "+r"(wide[2 * i]), "+r"(wide[2 * i + 1])
                 : "r"(a[i]));
}

/// One row of the reduction: (even, odd) >> 32 of the row before, then += m·p so that even[0] becomes 0.
template <int n, bool first>
__device__ __forceinline__ void reduction_row(std::uint32_t* even, std::uint32_t* odd, const std::uint32_t* p,
                                              std::uint32_t negated_inverse) {
  if constexpr (first) {
    row_product<n>(odd, p + 1, even[0] * negated_inverse);
    row_add<n>(even, p, even[0] * negated_inverse);
  } else {
    asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(even[0]) : "r"(odd[1]));
    const std::uint32_t m = even[0] * negated_inverse;
    row_add_shifted<n>(odd, p + 1, m);
    row_add<n>(even, p, m);
  }
  asm volatile("addc.u32 %0, %0, 0;" : "+r"(odd[n - 1]));
}

/// The end of a reduction: (even + odd·2^32) / 2^32 + wide / 2^(32n), canonical, in even's place.
template <int n>
__device__ __forceinline__ void finish_reduction(std::uint32_t (&even)[n], const std::uint32_t (&odd)[n],
                                                 const std::uint32_t (&wide)[2 * n], const std::uint32_t* p) {
  asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(even[0]) : "r"(odd[1]));
#pragma unroll
  for (int k = 1; k < n - 1; ++k) asm volatile("addc.cc.u32 %0, %0, %1;" : "+r"(even[k]) : "r"(odd[k + 1]));
  asm volatile("addc.u32 %0, %0, 0;" : "+r"(even[n - 1]));
  asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(even[0]) : "r"(wide[n]));
#pragma unroll
  for (int k = 1; k < n - 1; ++k) asm volatile("addc.cc.u32 %0, %0, %1;" : "+r"(even[k]) : "r"(wide[n + k]));
  asm volatile("addc.u32 %0, %0, %1;" : "+r"(even[n - 1]) : "r"(wide[2 * n - 1]));
  reduce_once<n>(even, p);
}

/// result = wide / 2^(32n) mod p, canonical. REQUIRES wide < p·2^(32n), p < 2^(32n - 1).
template <int n>
__device__ __forceinline__ void reduce_wide(std::uint32_t (&result)[n], const std::uint32_t (&wide)[2 * n],
                                            const std::uint32_t* p, std::uint32_t negated_inverse) {
  std::uint32_t odd[n];
#pragma unroll
  for (int k = 0; k < n; ++k) result[k] = wide[k];
  reduction_row<n, true>(result, odd, p, negated_inverse);
  reduction_row<n, false>(odd, result, p, negated_inverse);
#pragma unroll
  for (int i = 2; i < n; i += 2) {
    reduction_row<n, false>(result, odd, p, negated_inverse);
    reduction_row<n, false>(odd, result, p, negated_inverse);
  }
  finish_reduction<n>(result, odd, wide, p);
}

}  // namespace penstock::algebra::ptx
