// Points of y² = x³ + b over a field F (Field or Fp2): affine, XYZZ and Jacobian coordinates; b is never
// needed. Shape: Affine is the file form of a zkey (Montgomery, little endian); infinity is all zero in every
// form. Formulas: the Explicit-Formulas Database (Bernstein and Lange), names beside each. All of them are
// complete here: P = Q, P = -Q and infinity are handled. Threads: no state. Errors: none; points are on the
// curve.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/algebra/field.hpp"
#include "common/algebra/limbs.hpp"
#include "common/base/host_device.hpp"

namespace penstock::algebra {

template <class F>
struct Affine {
  using Coordinate = F;
  F x, y;

  PENSTOCK_HD static constexpr Affine infinity() { return {F::zero(), F::zero()}; }
  PENSTOCK_HD constexpr bool is_infinity() const { return x.is_zero() && y.is_zero(); }
  PENSTOCK_HD_LARGE constexpr Affine operator-() const { return {x, -y}; }
  PENSTOCK_HD_LARGE friend constexpr bool operator==(const Affine& a, const Affine& b) {
    return a.x == b.x && a.y == b.y;
  }
};

/// x = X/ZZ, y = Y/ZZZ, ZZ³ = ZZZ². Best for sums of affine points.
template <class F>
struct Xyzz {
  using Coordinate = F;
  using Point = Affine<F>;
  F x, y, zz, zzz;

  PENSTOCK_HD static constexpr Xyzz infinity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
  PENSTOCK_HD constexpr bool is_infinity() const { return zz.is_zero(); }
  PENSTOCK_HD static constexpr Xyzz from(const Point& point) {
    if (point.is_infinity()) return infinity();
    return {point.x, point.y, F::one(), F::one()};
  }
  PENSTOCK_HD_LARGE constexpr Xyzz operator-() const { return {x, -y, zz, zzz}; }

  /// madd-2008-s, 8M + 2S; mdbl-2008-s for the same point.
  PENSTOCK_HD_LARGE constexpr void add(const Point& other) {
    if (other.is_infinity()) return;
    if (is_infinity()) {
      *this = from(other);
      return;
    }
    const F p = other.x * zz - x;
    const F r = other.y * zzz - y;
    if (p.is_zero()) {
      *this = r.is_zero() ? doubled(other) : infinity();
      return;
    }
    accumulate(p, r, x, y);
  }
  /// add-2008-s, 12M + 2S; dbl-2008-s-1 for the same point.
  PENSTOCK_HD_LARGE constexpr void add(const Xyzz& other) {
    if (other.is_infinity()) return;
    if (is_infinity()) {
      *this = other;
      return;
    }
    const F u = x * other.zz;
    const F s = y * other.zzz;
    const F p = other.x * zz - u;
    const F r = other.y * zzz - s;
    if (p.is_zero()) {
      if (r.is_zero())
        double_in_place();
      else
        *this = infinity();
      return;
    }
    zz *= other.zz;
    zzz *= other.zzz;
    accumulate(p, r, u, s);
  }
  /// dbl-2008-s-1, 6M + 4S. A point of order two gives infinity, and so does infinity.
  PENSTOCK_HD_LARGE constexpr void double_in_place() {
    const F u = y.doubled();
    const F v = u.square();
    const F w = u * v;
    const F s = x * v;
    const F xx = x.square();
    const F m = xx.doubled() + xx;
    x = m.square() - s.doubled();
    y = m * (s - x) - w * y;
    zz *= v;
    zzz *= w;
  }
  /// Cost: one inverse and 4 products; batch_to_affine for many.
  PENSTOCK_HD_LARGE constexpr Point to_affine() const {
    if (is_infinity()) return Point::infinity();
    return scaled(zzz.inverse());
  }
  /// The affine point, given 1/ZZZ. REQUIRES: not infinity.
  PENSTOCK_HD_LARGE constexpr Point scaled(const F& zzz_inverse) const {
    const F z_inverse = zzz_inverse * zz;  // ZZ/ZZZ = 1/Z
    return {x * z_inverse.square(), y * zzz_inverse};
  }
  /// Equal as points, whatever the representatives.
  PENSTOCK_HD_LARGE friend constexpr bool operator==(const Xyzz& a, const Xyzz& b) {
    if (a.is_infinity() || b.is_infinity()) return a.is_infinity() == b.is_infinity();
    return a.x * b.zz == b.x * a.zz && a.y * b.zzz == b.y * a.zzz;
  }

 private:
  PENSTOCK_HD_LARGE static constexpr Xyzz doubled(const Point& point) {
    const F u = point.y.doubled();
    const F v = u.square();
    const F w = u * v;
    const F s = point.x * v;
    const F xx = point.x.square();
    const F m = xx.doubled() + xx;
    const F x3 = m.square() - s.doubled();
    return {x3, m * (s - x3) - w * point.y, v, w};
  }
  /// The common end of both additions: U1 = u, S1 = s, P and R as in the database.
  PENSTOCK_HD_LARGE constexpr void accumulate(const F& p, const F& r, const F& u, const F& s) {
    const F pp = p.square();
    const F ppp = p * pp;
    const F q = u * pp;
    const F old_s = s;
    x = r.square() - ppp - q.doubled();
    y = r * (q - x) - old_s * ppp;
    zz *= pp;
    zzz *= ppp;
  }
};

/// x = X/Z², y = Y/Z³. Best for chains of doublings.
template <class F>
struct Jacobian {
  using Coordinate = F;
  using Point = Affine<F>;
  F x, y, z;

  PENSTOCK_HD static constexpr Jacobian infinity() { return {F::zero(), F::zero(), F::zero()}; }
  PENSTOCK_HD constexpr bool is_infinity() const { return z.is_zero(); }
  PENSTOCK_HD static constexpr Jacobian from(const Point& point) {
    if (point.is_infinity()) return infinity();
    return {point.x, point.y, F::one()};
  }
  PENSTOCK_HD_LARGE constexpr Jacobian operator-() const { return {x, -y, z}; }

  /// madd-2007-bl, 7M + 4S.
  PENSTOCK_HD_LARGE constexpr void add(const Point& other) {
    if (other.is_infinity()) return;
    if (is_infinity()) {
      *this = from(other);
      return;
    }
    const F zz = z.square();
    const F h = other.x * zz - x;
    const F r = (other.y * z * zz - y).doubled();
    if (h.is_zero()) {
      if (r.is_zero())
        double_in_place();
      else
        *this = infinity();
      return;
    }
    const F hh = h.square();
    const F i = hh.doubled().doubled();
    const F j = h * i;
    const F v = x * i;
    z = (z + h).square() - zz - hh;
    x = r.square() - j - v.doubled();
    y = r * (v - x) - (y * j).doubled();
  }
  /// add-2007-bl, 11M + 5S.
  PENSTOCK_HD_LARGE constexpr void add(const Jacobian& other) {
    if (other.is_infinity()) return;
    if (is_infinity()) {
      *this = other;
      return;
    }
    const F z1z1 = z.square();
    const F z2z2 = other.z.square();
    const F u1 = x * z2z2;
    const F s1 = y * other.z * z2z2;
    const F h = other.x * z1z1 - u1;
    const F r = (other.y * z * z1z1 - s1).doubled();
    if (h.is_zero()) {
      if (r.is_zero())
        double_in_place();
      else
        *this = infinity();
      return;
    }
    const F i = h.doubled().square();
    const F j = h * i;
    const F v = u1 * i;
    z = ((z + other.z).square() - z1z1 - z2z2) * h;
    x = r.square() - j - v.doubled();
    y = r * (v - x) - (s1 * j).doubled();
  }
  /// dbl-2009-l, 2M + 5S.
  PENSTOCK_HD_LARGE constexpr void double_in_place() {
    const F a = x.square();
    const F b = y.square();
    const F c = b.square();
    const F d = ((x + b).square() - a - c).doubled();
    const F e = a.doubled() + a;
    z = (y * z).doubled();
    x = e.square() - d.doubled();
    y = e * (d - x) - c.doubled().doubled().doubled();
  }
  /// Cost: one inverse, 3 products and a square.
  PENSTOCK_HD_LARGE constexpr Point to_affine() const {
    if (is_infinity()) return Point::infinity();
    const F inverse = z.inverse();
    const F inverse_squared = inverse.square();
    return {x * inverse_squared, y * inverse_squared * inverse};
  }
  PENSTOCK_HD_LARGE friend constexpr bool operator==(const Jacobian& a, const Jacobian& b) {
    if (a.is_infinity() || b.is_infinity()) return a.is_infinity() == b.is_infinity();
    const F aa = a.z.square(), bb = b.z.square();
    return a.x * bb == b.x * aa && a.y * bb * b.z == b.y * aa * a.z;
  }
};

/// k·P by double and add, most significant bit first: the reference. Variable time. `Sum` is Xyzz or
/// Jacobian.
template <class Sum, std::size_t n>
constexpr Sum scalar_multiply(const typename Sum::Point& point, const std::array<std::uint64_t, n>& plain) {
  Sum result = Sum::infinity();
  for (int i = limbs::bit_length(plain); i-- > 0;) {
    result.double_in_place();
    if (limbs::bit(plain, i)) result.add(point);
  }
  return result;
}
template <class Sum, class Fr>
constexpr Sum scalar_multiply(const typename Sum::Point& point, const typename Fr::Limbs& plain) {
  return scalar_multiply<Sum>(point, plain);
}

/// affine[i] = sums[i]. REQUIRES: equal sizes. Cost: one inverse and 7 products each.
template <class F>
void batch_to_affine(std::span<const Xyzz<F>> sums, std::span<Affine<F>> affine) {
  std::vector<F> inverses(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) inverses[i] = sums[i].zzz;
  batch_inverse(std::span<F>(inverses));
  for (std::size_t i = 0; i < sums.size(); ++i)
    affine[i] = sums[i].is_infinity() ? Affine<F>::infinity() : sums[i].scaled(inverses[i]);
}

}  // namespace penstock::algebra
