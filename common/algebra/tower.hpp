// The tower above Fp2: Fp6 = Fp2[v]/(v³ - ξ), Fp12 = Fp6[w]/(w² - v); ξ is 9 + u (BN254) or 1 + u
// (BLS12-381). The order of coefficients is that of snarkjs's vk_alphabeta_12. Formulas: Devegili et al. 2006
// (Karatsuba, Chung-Hasan squaring), Granger and Scott 2010 (squaring in the cyclotomic subgroup). Threads,
// errors: as Field. Cost in Fp2 products: Fp6 product 6, Fp12 product 18, square 12, cyclotomic 9 squares.
#pragma once

#include <cstdint>
#include <span>

#include "common/algebra/fp2.hpp"
#include "common/base/host_device.hpp"

namespace penstock::algebra {

template <class F>
struct Fp6 {
  using F2 = Fp2<F>;
  F2 c0, c1, c2;

  static constexpr Fp6 zero() { return {F2::zero(), F2::zero(), F2::zero()}; }
  static constexpr Fp6 one() { return {F2::one(), F2::zero(), F2::zero()}; }

  PENSTOCK_HD_CALL friend constexpr Fp6 operator+(const Fp6& a, const Fp6& b) {
    return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
  }
  PENSTOCK_HD_CALL friend constexpr Fp6 operator-(const Fp6& a, const Fp6& b) {
    return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2};
  }
  PENSTOCK_HD_CALL constexpr Fp6 operator-() const { return {-c0, -c1, -c2}; }
  PENSTOCK_HD_CALL friend constexpr Fp6 operator*(const Fp6& a, const Fp6& b) {
    const F2 d0 = a.c0 * b.c0, d1 = a.c1 * b.c1, d2 = a.c2 * b.c2;
    return {((a.c1 + a.c2) * (b.c1 + b.c2) - d1 - d2).mul_by_nonresidue() + d0,
            (a.c0 + a.c1) * (b.c0 + b.c1) - d0 - d1 + d2.mul_by_nonresidue(),
            (a.c0 + a.c2) * (b.c0 + b.c2) - d0 - d2 + d1};
  }
  PENSTOCK_HD_CALL friend constexpr Fp6 operator*(const Fp6& a, const F2& b) {
    return {a.c0 * b, a.c1 * b, a.c2 * b};
  }
  /// Times b0 + b1·v. Cost: 5 Fp2 products.
  PENSTOCK_HD_CALL constexpr Fp6 mul_by_01(const F2& b0, const F2& b1) const {
    const F2 d0 = c0 * b0, d1 = c1 * b1;
    return {((c1 + c2) * b1 - d1).mul_by_nonresidue() + d0, (c0 + c1) * (b0 + b1) - d0 - d1,
            (c0 + c2) * b0 - d0 + d1};
  }
  /// Times b1·v. Cost: 3 Fp2 products.
  PENSTOCK_HD_CALL constexpr Fp6 mul_by_1(const F2& b1) const {
    return {(c2 * b1).mul_by_nonresidue(), c0 * b1, c1 * b1};
  }
  PENSTOCK_HD_CALL constexpr Fp6 square() const {
    const F2 s0 = c0.square(), s1 = (c0 * c1).doubled(), s2 = (c0 - c1 + c2).square();
    const F2 s3 = (c1 * c2).doubled(), s4 = c2.square();
    return {s3.mul_by_nonresidue() + s0, s4.mul_by_nonresidue() + s1, s1 + s2 + s3 - s0 - s4};
  }
  PENSTOCK_HD_CALL constexpr Fp6 doubled() const { return {c0.doubled(), c1.doubled(), c2.doubled()}; }
  PENSTOCK_HD_CALL friend constexpr bool operator==(const Fp6& a, const Fp6& b) {
    return a.c0 == b.c0 && a.c1 == b.c1 && a.c2 == b.c2;
  }
  PENSTOCK_HD_CALL constexpr bool is_zero() const { return *this == zero(); }
  PENSTOCK_HD_CALL constexpr bool is_one() const { return *this == one(); }
  /// Times v.
  PENSTOCK_HD_CALL constexpr Fp6 mul_by_nonresidue() const { return {c2.mul_by_nonresidue(), c0, c1}; }
  /// 0 for 0.
  PENSTOCK_HD_CALL constexpr Fp6 inverse() const {
    const F2 t0 = c0.square() - (c1 * c2).mul_by_nonresidue();
    const F2 t1 = c2.square().mul_by_nonresidue() - c0 * c1;
    const F2 t2 = c1.square() - c0 * c2;
    const F2 scale = (c0 * t0 + (c2 * t1 + c1 * t2).mul_by_nonresidue()).inverse();
    return {t0 * scale, t1 * scale, t2 * scale};
  }
};

template <class F>
struct Fp12 {
  using F2 = Fp2<F>;
  using F6 = Fp6<F>;
  F6 c0, c1;

  static constexpr Fp12 zero() { return {F6::zero(), F6::zero()}; }
  static constexpr Fp12 one() { return {F6::one(), F6::zero()}; }

  PENSTOCK_HD_CALL friend constexpr Fp12 operator+(const Fp12& a, const Fp12& b) {
    return {a.c0 + b.c0, a.c1 + b.c1};
  }
  PENSTOCK_HD_CALL friend constexpr Fp12 operator-(const Fp12& a, const Fp12& b) {
    return {a.c0 - b.c0, a.c1 - b.c1};
  }
  PENSTOCK_HD_CALL constexpr Fp12 operator-() const { return {-c0, -c1}; }
  PENSTOCK_HD_CALL friend constexpr Fp12 operator*(const Fp12& a, const Fp12& b) {
    const F6 low = a.c0 * b.c0, high = a.c1 * b.c1;
    return {low + high.mul_by_nonresidue(), (a.c0 + a.c1) * (b.c0 + b.c1) - low - high};
  }
  PENSTOCK_HD_CALL constexpr Fp12& operator*=(const Fp12& other) { return *this = *this * other; }
  PENSTOCK_HD_CALL constexpr Fp12 square() const {
    const F6 product = c0 * c1;
    return {(c0 + c1) * (c0 + c1.mul_by_nonresidue()) - product - product.mul_by_nonresidue(),
            product.doubled()};
  }
  PENSTOCK_HD_CALL friend constexpr bool operator==(const Fp12& a, const Fp12& b) {
    return a.c0 == b.c0 && a.c1 == b.c1;
  }
  PENSTOCK_HD_CALL constexpr bool is_zero() const { return *this == zero(); }
  PENSTOCK_HD_CALL constexpr bool is_one() const { return *this == one(); }
  /// The p⁶-power Frobenius; the inverse of a unitary element.
  PENSTOCK_HD_CALL constexpr Fp12 conjugate() const { return {c0, -c1}; }
  /// 0 for 0.
  PENSTOCK_HD_CALL constexpr Fp12 inverse() const {
    const F6 scale = (c0.square() - c1.square().mul_by_nonresidue()).inverse();
    return {c0 * scale, -(c1 * scale)};
  }
  /// Times (l0 + l1·v) + l4·v·w: the line of an M-type twist (BLS12-381). Cost: 13 Fp2 products.
  PENSTOCK_HD_CALL constexpr Fp12 mul_by_014(const F2& l0, const F2& l1, const F2& l4) const {
    const F6 low = c0.mul_by_01(l0, l1), high = c1.mul_by_1(l4);
    return {low + high.mul_by_nonresidue(), (c0 + c1).mul_by_01(l0, l1 + l4) - low - high};
  }
  /// Times l0 + (l3 + l4·v)·w: the line of a D-type twist (BN254). Cost: 13 Fp2 products.
  PENSTOCK_HD_CALL constexpr Fp12 mul_by_034(const F2& l0, const F2& l3, const F2& l4) const {
    const F6 low = c0 * l0, high = c1.mul_by_01(l3, l4);
    return {low + high.mul_by_nonresidue(), (c0 + c1).mul_by_01(l0 + l3, l4) - low - high};
  }
  /// REQUIRES: an element of the cyclotomic subgroup (order dividing p⁴ - p² + 1). Cost: 9 Fp2 squares.
  PENSTOCK_HD_CALL constexpr Fp12 cyclotomic_square() const {
    F2 a0, a1, b0, b1, d0, d1;
    square_fp4(a0, a1, c0.c0, c1.c1);
    square_fp4(b0, b1, c1.c0, c0.c2);
    square_fp4(d0, d1, c0.c1, c1.c2);
    const F2 e = d1.mul_by_nonresidue();
    return {{triple_minus_double(a0, c0.c0), triple_minus_double(b0, c0.c1), triple_minus_double(d0, c0.c2)},
            {triple_plus_double(e, c1.c0), triple_plus_double(a1, c1.c1), triple_plus_double(b1, c1.c2)}};
  }
  PENSTOCK_HD_CALL constexpr Fp12 pow(std::span<const std::uint64_t> exponent) const {
    Fp12 result = one();
    for (std::size_t i = exponent.size() * 64; i-- > 0;) {
      result = result.square();
      if ((exponent[i / 64] >> (i % 64)) & 1) result *= *this;
    }
    return result;
  }

 private:
  /// (x + y·s)² in Fp4 = Fp2[s]/(s² - ξ). Cost: 3 Fp2 squares.
  PENSTOCK_HD_CALL static constexpr void square_fp4(F2& real, F2& imaginary, const F2& x, const F2& y) {
    const F2 xx = x.square(), yy = y.square();
    imaginary = (x + y).square() - xx - yy;
    real = yy.mul_by_nonresidue() + xx;
  }
  PENSTOCK_HD_CALL static constexpr F2 triple_minus_double(const F2& t, const F2& z) {
    return (t - z).doubled() + t;
  }
  PENSTOCK_HD_CALL static constexpr F2 triple_plus_double(const F2& t, const F2& z) {
    return (t + z).doubled() + t;
  }
};

}  // namespace penstock::algebra
