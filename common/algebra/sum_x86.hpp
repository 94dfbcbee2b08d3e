// Sums and differences on x86-64: carry chains in asm, because g++ 12 keeps a carry in a byte at -O2.
// REQUIRES: nothing of the processor. A result may be an operand. Cost: 2n to 4n instructions, no branch.
#pragma once

#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__CUDA_ARCH__)

#include <cstdint>

namespace penstock::algebra::x86 {

/// result = a + b, without the carry out.
[[gnu::always_inline]] inline void add(std::uint64_t (&result)[4], const std::uint64_t (&a)[4],
                                       const std::uint64_t (&b)[4]) {
  asm("addq %[b0], %[r0]\n\t"
      "adcq %[b1], %[r1]\n\t"
      "adcq %[b2], %[r2]\n\t"
      "adcq %[b3], %[r3]"
      : [r0] "=&r"(result[0]), [r1] "=&r"(result[1]), [r2] "=&r"(result[2]), [r3] "=&r"(result[3])
      : "0"(a[0]), "1"(a[1]), "2"(a[2]),
        "3"(a[3]), [b0] "rm"(b[0]), [b1] "rm"(b[1]), [b2] "rm"(b[2]), [b3] "rm"(b[3])
      : "cc");
}

/// result = a - b - (borrow != 0); borrow, all ones or zero, becomes the borrow out.
[[gnu::always_inline]] inline void subtract(std::uint64_t (&result)[4], const std::uint64_t (&a)[4],
                                            const std::uint64_t (&b)[4], std::uint64_t& borrow) {
  asm("addq %[borrow], %[borrow]\n\t"
      "sbbq %[b0], %[r0]\n\t"
      "sbbq %[b1], %[r1]\n\t"
      "sbbq %[b2], %[r2]\n\t"
      "sbbq %[b3], %[r3]\n\t"
      "sbbq %[borrow], %[borrow]"
      : [r0] "=&r"(result[0]), [r1] "=&r"(result[1]), [r2] "=&r"(result[2]), [r3] "=&r"(result[3]),
        [borrow] "+&r"(borrow)
      : "0"(a[0]), "1"(a[1]), "2"(a[2]),
        "3"(a[3]), [b0] "rm"(b[0]), [b1] "rm"(b[1]), [b2] "rm"(b[2]), [b3] "rm"(b[3])
      : "cc");
}

/// result = value - modulus when that is not negative, else value.
[[gnu::always_inline]] inline void reduce_once(std::uint64_t (&result)[4], const std::uint64_t (&value)[4],
                                               const std::uint64_t (&modulus)[4]) {
  asm("subq %[p0], %[r0]\n\t"
      "sbbq %[p1], %[r1]\n\t"
      "sbbq %[p2], %[r2]\n\t"
      "sbbq %[p3], %[r3]\n\t"
      "cmovcq %[v0], %[r0]\n\t"
      "cmovcq %[v1], %[r1]\n\t"
      "cmovcq %[v2], %[r2]\n\t"
      "cmovcq %[v3], %[r3]"
      : [r0] "=&r"(result[0]), [r1] "=&r"(result[1]), [r2] "=&r"(result[2]), [r3] "=&r"(result[3])
      : "0"(value[0]), "1"(value[1]), "2"(value[2]),
        "3"(value[3]), [v0] "rm"(value[0]), [v1] "rm"(value[1]), [v2] "rm"(value[2]), [v3] "rm"(value[3]),
        [p0] "m"(modulus[0]), [p1] "m"(modulus[1]), [p2] "m"(modulus[2]), [p3] "m"(modulus[3])
      : "cc");
}

/// result = a + b, without the carry out.
[[gnu::always_inline]] inline void add(std::uint64_t (&result)[6], const std::uint64_t (&a)[6],
                                       const std::uint64_t (&b)[6]) {
  asm("addq %[b0], %[r0]\n\t"
      "adcq %[b1], %[r1]\n\t"
      "adcq %[b2], %[r2]\n\t"
      "adcq %[b3], %[r3]\n\t"
      "adcq %[b4], %[r4]\n\t"
      "adcq %[b5], %[r5]"
      : [r0] "=&r"(result[0]), [r1] "=&r"(result[1]), [r2] "=&r"(result[2]), [r3] "=&r"(result[3]),
        [r4] "=&r"(result[4]), [r5] "=&r"(result[5])
      : "0"(a[0]), "1"(a[1]), "2"(a[2]), "3"(a[3]), "4"(a[4]), "5"(a[5]), [b0] "rm"(b[0]), [b1] "rm"(b[1]),
        [b2] "rm"(b[2]), [b3] "rm"(b[3]), [b4] "rm"(b[4]), [b5] "rm"(b[5])
      : "cc");
}

/// result = a - b - (borrow != 0); borrow, all ones or zero, becomes the borrow out.
[[gnu::always_inline]] inline void subtract(std::uint64_t (&result)[6], const std::uint64_t (&a)[6],
                                            const std::uint64_t (&b)[6], std::uint64_t& borrow) {
  asm("addq %[borrow], %[borrow]\n\t"
      "sbbq %[b0], %[r0]\n\t"
      "sbbq %[b1], %[r1]\n\t"
      "sbbq %[b2], %[r2]\n\t"
      "sbbq %[b3], %[r3]\n\t"
      "sbbq %[b4], %[r4]\n\t"
      "sbbq %[b5], %[r5]\n\t"
      "sbbq %[borrow], %[borrow]"
      : [r0] "=&r"(result[0]), [r1] "=&r"(result[1]), [r2] "=&r"(result[2]), [r3] "=&r"(result[3]),
        [r4] "=&r"(result[4]), [r5] "=&r"(result[5]), [borrow] "+&r"(borrow)
      : "0"(a[0]), "1"(a[1]), "2"(a[2]), "3"(a[3]), "4"(a[4]), "5"(a[5]), [b0] "rm"(b[0]), [b1] "rm"(b[1]),
        [b2] "rm"(b[2]), [b3] "rm"(b[3]), [b4] "rm"(b[4]), [b5] "rm"(b[5])
      : "cc");
}

/// result = value - modulus when that is not negative, else value.
[[gnu::always_inline]] inline void reduce_once(std::uint64_t (&result)[6], const std::uint64_t (&value)[6],
                                               const std::uint64_t (&modulus)[6]) {
  asm("subq %[p0], %[r0]\n\t"
      "sbbq %[p1], %[r1]\n\t"
      "sbbq %[p2], %[r2]\n\t"
      "sbbq %[p3], %[r3]\n\t"
      "sbbq %[p4], %[r4]\n\t"
      "sbbq %[p5], %[r5]\n\t"
      "cmovcq %[v0], %[r0]\n\t"
      "cmovcq %[v1], %[r1]\n\t"
      "cmovcq %[v2], %[r2]\n\t"
      "cmovcq %[v3], %[r3]\n\t"
      "cmovcq %[v4], %[r4]\n\t"
      "cmovcq %[v5], %[r5]"
      : [r0] "=&r"(result[0]), [r1] "=&r"(result[1]), [r2] "=&r"(result[2]), [r3] "=&r"(result[3]),
        [r4] "=&r"(result[4]), [r5] "=&r"(result[5])
      : "0"(value[0]), "1"(value[1]), "2"(value[2]), "3"(value[3]), "4"(value[4]),
        "5"(value[5]), [v0] "rm"(value[0]), [v1] "rm"(value[1]), [v2] "rm"(value[2]), [v3] "rm"(value[3]),
        [v4] "rm"(value[4]), [v5] "rm"(value[5]), [p0] "m"(modulus[0]), [p1] "m"(modulus[1]),
        [p2] "m"(modulus[2]), [p3] "m"(modulus[3]), [p4] "m"(modulus[4]), [p5] "m"(modulus[5])
      : "cc");
}

}  // namespace penstock::algebra::x86

#endif
