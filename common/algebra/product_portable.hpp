// The host's portable products: 128-bit arithmetic of the compiler, loops unrolled. What any processor runs.
// Ownership: arrays of the caller; a result may be an operand. Errors: none. Cost: 2n² + n word products.
#pragma once

#include <cstdint>

#include "common/algebra/field_constants.hpp"
#include "common/algebra/limbs.hpp"
#include "common/algebra/unroll.hpp"

namespace penstock::algebra::host {

/// Every engine: montgomery_product, wide_product and montgomery_reduce as in limbs.hpp, a sum without its
/// carry out, and a difference in place that returns all ones when it borrowed, else zero.
template <class Params>
struct PortableEngine {
  using K = FieldConstants<Params>;
  static constexpr int n = Params::limb_count;
  using Row = std::uint64_t[n];
  using Wide = std::uint64_t[2 * n];

  /// Operand scanning without the extra carry limb, for a modulus with a free top bit (source:
  /// product_x86.hpp).
  static void montgomery_product(Row& result, const Row& a, const Row& b) {
    Row t = {};
    unrolled<n>([&](int i) __attribute__((always_inline)) {
      std::uint64_t high = 0, carry = 0;
      t[0] = limbs::multiply_add(t[0], a[0], b[i], high);
      const std::uint64_t m = t[0] * K::negated_inverse;
      static_cast<void>(limbs::multiply_add(t[0], m, K::modulus.limb[0], carry));
      unrolled<n - 1>([&](int k) __attribute__((always_inline)) {
        t[k + 1] = limbs::multiply_add(t[k + 1], a[k + 1], b[i], high);
        t[k] = limbs::multiply_add(t[k + 1], m, K::modulus.limb[k + 1], carry);
      });
      t[n - 1] = high + carry;
    });
    reduce_once(result, t);
  }
  static void wide_product(Wide& result, const Row& a, const Row& b) {
    unrolled<2 * n>([&](int i) __attribute__((always_inline)) { result[i] = 0; });
    unrolled<n>([&](int i) __attribute__((always_inline)) {
      std::uint64_t carry = 0;
      unrolled<n>([&](int k) __attribute__((always_inline)) {
        result[i + k] = limbs::multiply_add(result[i + k], a[k], b[i], carry);
      });
      result[i + n] = carry;
    });
  }
  static void montgomery_reduce(Row& result, const Wide& value) {
    Row t;
    unrolled<n>([&](int i) __attribute__((always_inline)) { t[i] = value[i]; });
    unrolled<n>([&](int) __attribute__((always_inline)) {
      const std::uint64_t m = t[0] * K::negated_inverse;
      std::uint64_t carry = 0;
      static_cast<void>(limbs::multiply_add(t[0], m, K::modulus.limb[0], carry));
      unrolled<n - 1>([&](int k) __attribute__((always_inline)) {
        t[k] = limbs::multiply_add(t[k + 1], m, K::modulus.limb[k + 1], carry);
      });
      t[n - 1] = carry;
    });
    std::uint64_t carry = 0;
    unrolled<n>([&](int i)
                    __attribute__((always_inline)) { t[i] = limbs::add_carry(t[i], value[n + i], carry); });
    reduce_once(result, t);
  }
  static void add(Row& result, const Row& a, const Row& b) {
    std::uint64_t carry = 0;
    unrolled<n>([&](int i)
                    __attribute__((always_inline)) { result[i] = limbs::add_carry(a[i], b[i], carry); });
  }
  static std::uint64_t subtract_wide(Wide& a, const Wide& b) {
    std::uint64_t borrow = 0;
    unrolled<2 * n>([&](int i) __attribute__((always_inline)) {
      a[i] = limbs::subtract_borrow(a[i], b[i], borrow);
    });
    return 0 - borrow;
  }

 private:
  static void reduce_once(Row& result, const Row& value) {
    Row reduced;
    std::uint64_t borrow = 0;
    unrolled<n>([&](int i) __attribute__((always_inline)) {
      reduced[i] = limbs::subtract_borrow(value[i], K::modulus.limb[i], borrow);
    });
    const std::uint64_t keep = 0 - borrow;
    unrolled<n>([&](int i)
                    __attribute__((always_inline)) { result[i] = (value[i] & keep) | (reduced[i] & ~keep); });
  }
};

}  // namespace penstock::algebra::host
