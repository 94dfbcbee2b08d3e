// The quadratic extension Fp2 = Fp[u]/(u² + 1), for both curves. API of Field; memory c0 then c1, as in a
// zkey. Threads, errors: as Field. Cost: product 3 wide products and 2 reductions on the host; square 2
// products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "common/algebra/field.hpp"
#include "common/base/host_device.hpp"

namespace penstock::algebra {

template <class F>
struct Fp2 {
  using Base = F;
  static constexpr std::size_t size_bytes = 2 * F::size_bytes;

  F c0, c1;

  PENSTOCK_HD static constexpr Fp2 zero() { return {F::zero(), F::zero()}; }
  PENSTOCK_HD static constexpr Fp2 one() { return {F::one(), F::zero()}; }
  PENSTOCK_HD static constexpr Fp2 from_u64(std::uint64_t value) { return {F::from_u64(value), F::zero()}; }

  PENSTOCK_HD_LARGE friend constexpr Fp2 operator+(const Fp2& a, const Fp2& b) {
    return {a.c0 + b.c0, a.c1 + b.c1};
  }
  PENSTOCK_HD_LARGE friend constexpr Fp2 operator-(const Fp2& a, const Fp2& b) {
    return {a.c0 - b.c0, a.c1 - b.c1};
  }
  PENSTOCK_HD_LARGE constexpr Fp2 operator-() const { return {-c0, -c1}; }
  PENSTOCK_HD friend constexpr Fp2 operator*(const Fp2& a, const Fp2& b) {
#if !defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) {
      Fp2 result;
      host::Arithmetic<typename F::Params>::complex_multiply(result.c0.limb, result.c1.limb, a.c0.limb,
                                                             a.c1.limb, b.c0.limb, b.c1.limb);
      return result;
    }
#endif
    const F low = a.c0 * b.c0;
    const F high = a.c1 * b.c1;
    return {low - high, (a.c0 + a.c1) * (b.c0 + b.c1) - low - high};
  }
  PENSTOCK_HD_LARGE friend constexpr Fp2 operator*(const Fp2& a, const F& b) {
    return {a.c0 * b, a.c1 * b};
  }
  PENSTOCK_HD_LARGE constexpr Fp2 square() const {
    const F product = c0 * c1;
    return {(c0 + c1) * (c0 - c1), product.doubled()};
  }
  PENSTOCK_HD_LARGE constexpr Fp2 doubled() const {
    return {c0.doubled(), c1.doubled()};
  }
  PENSTOCK_HD_LARGE constexpr Fp2 halved() const {
    return {c0.halved(), c1.halved()};
  }
  PENSTOCK_HD constexpr Fp2& operator+=(const Fp2& other) {
    return *this = *this + other;
  }
  PENSTOCK_HD constexpr Fp2& operator-=(const Fp2& other) {
    return *this = *this - other;
  }
  PENSTOCK_HD constexpr Fp2& operator*=(const Fp2& other) {
    return *this = *this * other;
  }
  PENSTOCK_HD friend constexpr bool operator==(const Fp2& a, const Fp2& b) {
    return a.c0 == b.c0 && a.c1 == b.c1;
  }
  PENSTOCK_HD constexpr bool is_zero() const {
    return c0.is_zero() && c1.is_zero();
  }
  PENSTOCK_HD constexpr bool is_one() const {
    return c0.is_one() && c1.is_zero();
  }

  /// a + bu to a - bu: also the p-power Frobenius.
  PENSTOCK_HD constexpr Fp2 conjugate() const {
    return {c0, -c1};
  }
  /// Times ξ = tower_xi_c0 + u, by which the tower is built.
  PENSTOCK_HD_LARGE constexpr Fp2 mul_by_nonresidue() const {
    constexpr unsigned xi = F::Params::tower_xi_c0;
    static_assert(xi == 1 || xi == 9);
    if constexpr (xi == 1) return {c0 - c1, c0 + c1};
    const Fp2 eight = doubled().doubled().doubled();
    return {eight.c0 + c0 - c1, eight.c1 + c1 + c0};
  }
  PENSTOCK_HD_LARGE constexpr F norm() const {
    return c0.square() + c1.square();
  }
  /// 0 for 0.
  PENSTOCK_HD_LARGE constexpr Fp2 inverse() const {
    const F scale = norm().inverse();
    return {c0 * scale, -(c1 * scale)};
  }
  PENSTOCK_HD_LARGE constexpr Fp2 pow(std::span<const std::uint64_t> exponent) const {
    Fp2 result = one();
    for (std::size_t i = exponent.size() * 64; i-- > 0;) {
      result = result.square();
      if ((exponent[i / 64] >> (i % 64)) & 1) result *= *this;
    }
    return result;
  }
  /// A square root, or nothing for a non-residue: through the norm, for p = 3 mod 4.
  [[nodiscard]] constexpr std::optional<Fp2> sqrt() const {
    if (c1.is_zero()) {
      if (const std::optional<F> real = c0.sqrt()) return Fp2{*real, F::zero()};
      return Fp2{F::zero(), *(-c0).sqrt()};  // -1 is a non-residue: one of the two is a square
    }
    const std::optional<F> norm_root = norm().sqrt();
    if (!norm_root) return std::nullopt;
    const F half = F::from_u64(2).inverse();
    std::optional<F> real = ((c0 + *norm_root) * half).sqrt();
    if (!real) real = ((c0 - *norm_root) * half).sqrt();
    if (!real) return std::nullopt;
    const Fp2 root{*real, c1 * half * real->inverse()};
    if (!(root.square() == *this)) return std::nullopt;
    return root;
  }
};

}  // namespace penstock::algebra
