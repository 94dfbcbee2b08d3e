// Products on x86-64 with MULX and the two carry chains of ADCX/ADOX. Rows are asm, loops are C++: the
// compiler unrolls them and keeps the accumulator in registers. Follows the no-carry variant of operand
// scanning (Botrel and El Housni, "Faster Montgomery multiplication and multi-scalar multiplication for
// SNARKs", TCHES 2023), which is right when the modulus's top bit is zero and its other bits are not all
// ones. REQUIRES: a processor with BMI2 and ADX. Result may be an operand. Cost: 2n² + n MULX.
#pragma once

#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__CUDA_ARCH__)

#include <cstdint>

#include "common/algebra/limbs.hpp"
#include "common/algebra/sum_x86.hpp"
#include "common/algebra/unroll.hpp"

namespace penstock::algebra::x86 {

/// t += x·y; carry = the limb that leaves at the top.
[[gnu::always_inline]] inline void multiply_row(std::uint64_t (&t)[4], std::uint64_t& carry,
                                                const std::uint64_t (&x)[4], std::uint64_t y) {
  std::uint64_t low;
  asm("xorl %k[low], %k[low]\n\t"
      "mulxq %[x0], %[low], %[high]\n\t"
      "adoxq %[low], %[t0]\n\t"
      "adcxq %[high], %[t1]\n\t"
      "mulxq %[x1], %[low], %[high]\n\t"
      "adoxq %[low], %[t1]\n\t"
      "adcxq %[high], %[t2]\n\t"
      "mulxq %[x2], %[low], %[high]\n\t"
      "adoxq %[low], %[t2]\n\t"
      "adcxq %[high], %[t3]\n\t"
      "mulxq %[x3], %[low], %[high]\n\t"
      "adoxq %[low], %[t3]\n\t"
      "movl $0, %k[low]\n\t"
      "adcxq %[low], %[high]\n\t"
      "adoxq %[low], %[high]"
      : [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3]), [low] "=&r"(low),
        [high] "=&r"(carry)
      : "d"(y), [x0] "m"(x[0]), [x1] "m"(x[1]), [x2] "m"(x[2]), [x3] "m"(x[3])
      : "cc");
}

[[gnu::always_inline]] inline void multiply_row(std::uint64_t (&t)[6], std::uint64_t& carry,
                                                const std::uint64_t (&x)[6], std::uint64_t y) {
  std::uint64_t low;
  asm("xorl %k[low], %k[low]\n\t"
      "mulxq %[x0], %[low], %[high]\n\t"
      "adoxq %[low], %[t0]\n\t"
      "adcxq %[high], %[t1]\n\t"
      "mulxq %[x1], %[low], %[high]\n\t"
      "adoxq %[low], %[t1]\n\t"
      "adcxq %[high], %[t2]\n\t"
      "mulxq %[x2], %[low], %[high]\n\t"
      "adoxq %[low], %[t2]\n\t"
      "adcxq %[high], %[t3]\n\t"
      "mulxq %[x3], %[low], %[high]\n\t"
      "adoxq %[low], %[t3]\n\t"
      "adcxq %[high], %[t4]\n\t"
      "mulxq %[x4], %[low], %[high]\n\t"
      "adoxq %[low], %[t4]\n\t"
      "adcxq %[high], %[t5]\n\t"
      "mulxq %[x5], %[low], %[high]\n\t"
      "adoxq %[low], %[t5]\n\t"
      "movl $0, %k[low]\n\t"
      "adcxq %[low], %[high]\n\t"
      "adoxq %[low], %[high]"
      : [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3]), [t4] "+&r"(t[4]),
        [t5] "+&r"(t[5]), [low] "=&r"(low), [high] "=&r"(carry)
      : "d"(y), [x0] "m"(x[0]), [x1] "m"(x[1]), [x2] "m"(x[2]), [x3] "m"(x[3]), [x4] "m"(x[4]), [x5] "m"(x[5])
      : "cc");
}

/// t = (t + x·y + top·2^(64n)) / 2^64; returns the limb shifted out. REQUIRES: that value fits n limbs.
[[gnu::always_inline]] inline std::uint64_t shift_row(std::uint64_t (&t)[4], std::uint64_t top,
                                                      const std::uint64_t (&x)[4], std::uint64_t y) {
  std::uint64_t out, low;
  asm("xorl %k[low], %k[low]\n\t"
      "mulxq %[x0], %[out], %[low]\n\t"
      "adcxq %[t0], %[out]\n\t"
      "movq %[low], %[t0]\n\t"
      "adcxq %[t1], %[t0]\n\t"
      "mulxq %[x1], %[low], %[t1]\n\t"
      "adoxq %[low], %[t0]\n\t"
      "adcxq %[t2], %[t1]\n\t"
      "mulxq %[x2], %[low], %[t2]\n\t"
      "adoxq %[low], %[t1]\n\t"
      "adcxq %[t3], %[t2]\n\t"
      "mulxq %[x3], %[low], %[t3]\n\t"
      "adoxq %[low], %[t2]\n\t"
      "movl $0, %k[low]\n\t"
      "adcxq %[low], %[t3]\n\t"
      "adoxq %[top], %[t3]"
      : [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3]), [low] "=&r"(low),
        [out] "=&r"(out)
      : "d"(y), [top] "r"(top), [x0] "m"(x[0]), [x1] "m"(x[1]), [x2] "m"(x[2]), [x3] "m"(x[3])
      : "cc");
  return out;
}

[[gnu::always_inline]] inline std::uint64_t shift_row(std::uint64_t (&t)[6], std::uint64_t top,
                                                      const std::uint64_t (&x)[6], std::uint64_t y) {
  std::uint64_t out, low;
  asm("xorl %k[low], %k[low]\n\t"
      "mulxq %[x0], %[out], %[low]\n\t"
      "adcxq %[t0], %[out]\n\t"
      "movq %[low], %[t0]\n\t"
      "adcxq %[t1], %[t0]\n\t"
      "mulxq %[x1], %[low], %[t1]\n\t"
      "adoxq %[low], %[t0]\n\t"
      "adcxq %[t2], %[t1]\n\t"
      "mulxq %[x2], %[low], %[t2]\n\t"
      "adoxq %[low], %[t1]\n\t"
      "adcxq %[t3], %[t2]\n\t"
      "mulxq %[x3], %[low], %[t3]\n\t"
      "adoxq %[low], %[t2]\n\t"
      "adcxq %[t4], %[t3]\n\t"
      "mulxq %[x4], %[low], %[t4]\n\t"
      "adoxq %[low], %[t3]\n\t"
      "adcxq %[t5], %[t4]\n\t"
      "mulxq %[x5], %[low], %[t5]\n\t"
      "adoxq %[low], %[t4]\n\t"
      "movl $0, %k[low]\n\t"
      "adcxq %[low], %[t5]\n\t"
      "adoxq %[top], %[t5]"
      : [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3]), [t4] "+&r"(t[4]),
        [t5] "+&r"(t[5]), [low] "=&r"(low), [out] "=&r"(out)
      : "d"(y), [top] "r"(top), [x0] "m"(x[0]), [x1] "m"(x[1]), [x2] "m"(x[2]), [x3] "m"(x[3]),
        [x4] "m"(x[4]), [x5] "m"(x[5])
      : "cc");
  return out;
}

/// As limbs::montgomery_product. REQUIRES: a < 2p and b < 2p when 8p < 2^(64n), else a < p and b < p.
template <int n>
[[gnu::always_inline]] inline void montgomery_product(std::uint64_t (&result)[n], const std::uint64_t (&a)[n],
                                                      const std::uint64_t (&b)[n],
                                                      const std::uint64_t (&modulus)[n],
                                                      std::uint64_t negated_inverse) {
  std::uint64_t t[n] = {};
  unrolled<n>([&](int i) __attribute__((always_inline)) {
    std::uint64_t carry;
    multiply_row(t, carry, a, b[i]);
    shift_row(t, carry, modulus, t[0] * negated_inverse);
  });
  reduce_once(result, t, modulus);
}

/// As limbs::wide_product.
template <int n>
[[gnu::always_inline]] inline void wide_product(std::uint64_t (&result)[2 * n], const std::uint64_t (&a)[n],
                                                const std::uint64_t (&b)[n]) {
  std::uint64_t t[n] = {};
  unrolled<n>([&](int i) __attribute__((always_inline)) { result[i] = shift_row(t, 0, a, b[i]); });
  unrolled<n>([&](int i) __attribute__((always_inline)) { result[n + i] = t[i]; });
}

/// a -= b; all ones when that borrowed, else zero.
template <int n>
[[gnu::always_inline]] inline std::uint64_t subtract_wide(std::uint64_t (&a)[2 * n],
                                                          const std::uint64_t (&b)[2 * n]) {
  std::uint64_t a_low[n], a_high[n], b_low[n], b_high[n];
  std::uint64_t borrow = 0;
  unrolled<n>([&](int i) __attribute__((always_inline)) {
    a_low[i] = a[i];
    b_low[i] = b[i];
    a_high[i] = a[n + i];
    b_high[i] = b[n + i];
  });
  subtract(a_low, a_low, b_low, borrow);
  subtract(a_high, a_high, b_high, borrow);
  unrolled<n>([&](int i) __attribute__((always_inline)) {
    a[i] = a_low[i];
    a[n + i] = a_high[i];
  });
  return borrow;
}

/// As limbs::montgomery_reduce.
template <int n>
[[gnu::always_inline]] inline void montgomery_reduce(std::uint64_t (&result)[n],
                                                     const std::uint64_t (&value)[2 * n],
                                                     const std::uint64_t (&modulus)[n],
                                                     std::uint64_t negated_inverse) {
  std::uint64_t t[n];
  unrolled<n>([&](int i) __attribute__((always_inline)) { t[i] = value[i]; });
  unrolled<n>([&](int) __attribute__((always_inline)) { shift_row(t, 0, modulus, t[0] * negated_inverse); });
  std::uint64_t high[n];
  unrolled<n>([&](int i) __attribute__((always_inline)) { high[i] = value[n + i]; });
  add(t, t, high);
  reduce_once(result, t, modulus);
}

}  // namespace penstock::algebra::x86

#endif
