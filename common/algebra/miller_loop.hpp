// The Miller loop: included only by the file that instantiates the pairing of a curve.
// T runs in homogeneous projective coordinates on the twist; lines are sparse in Fp12. Formulas: Costello,
// Lange and Naehrig, "Faster pairing computations on curves with high-degree twists", PKC 2010, as arranged
// by Aranha, Barreto, Longa and Ricardini, "The realm of the pairings", SAC 2013.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/algebra/endomorphism.hpp"
#include "common/algebra/pairing.hpp"

namespace penstock::algebra {

/// A line through points of the twist, up to a factor in a proper subfield: its coefficients at 1, x_P and
/// y_P.
template <class F2>
struct Line {
  F2 constant, at_x, at_y;
};

template <class C>
class MillerPoint {
 public:
  using F2 = typename C::Fp2;

  explicit MillerPoint(const typename C::G2& point) : x_(point.x), y_(point.y), z_(F2::one()) {}

  /// T = 2T; the tangent at the old T. Cost: 3 products and 6 squares.
  Line<F2> double_step(const F2& twist_b) {
    const F2 a = (x_ * y_).halved();
    const F2 b = y_.square();
    const F2 c = z_.square();
    const F2 e = twist_b * (c.doubled() + c);
    const F2 f = e.doubled() + e;
    const F2 g = (b + f).halved();
    const F2 h = (y_ + z_).square() - b - c;
    const F2 xx = x_.square();
    const F2 ee = e.square();
    x_ = a * (b - f);
    y_ = g.square() - ee.doubled() - ee;
    z_ = b * h;
    return {e - b, xx.doubled() + xx, -h};
  }
  /// T = T + Q; the chord through both. REQUIRES: T ≠ ±Q, which holds for points of order r. Cost: 11 M + 2
  /// S.
  Line<F2> add_step(const typename C::G2& q) {
    const F2 theta = y_ - q.y * z_;
    const F2 lambda = x_ - q.x * z_;
    const F2 c = theta.square();
    const F2 d = lambda.square();
    const F2 e = lambda * d;
    const F2 f = z_ * c;
    const F2 g = x_ * d;
    const F2 h = e + f - g.doubled();
    x_ = lambda * h;
    y_ = theta * (g - h) - e * y_;
    z_ *= e;
    return {theta * q.x - lambda * q.y, -theta, lambda};
  }

 private:
  F2 x_, y_, z_;
};

template <class C>
void multiply_line(typename C::Fp12& f, const Line<typename C::Fp2>& line, const typename C::G1& p) {
  if constexpr (C::twist_is_m)
    f = f.mul_by_014(line.constant, line.at_x * p.x, line.at_y * p.y);
  else
    f = f.mul_by_034(line.at_y * p.y, line.at_x * p.x, line.constant);
}

/// Signed binary digits of the loop's length, most significant first: 6x + 2 (BN254, 65 bits) or |x|.
template <class C>
std::vector<int> loop_digits() {
  limbs::Wide length = C::Params::x;
  if constexpr (C::id == CurveId::bn254) length = 6 * length + 2;
  std::vector<int> reversed;
  for (; length != 0; length >>= 1) {
    int digit = static_cast<int>(length & 1);
    if (digit == 1 && (length & 3) == 3) digit = -1;
    reversed.push_back(digit);
    length -= static_cast<limbs::Wide>(digit);  // -1 wraps to an addition
  }
  return {reversed.rbegin(), reversed.rend()};
}

template <class C>
typename C::Fp12 miller_loop(std::span<const PointPair<C>> pairs) {
  static const std::vector<int> digits = loop_digits<C>();
  const typename C::Fp2 twist_b = C::g2_b();
  std::vector<PointPair<C>> finite;
  for (const auto& pair : pairs)
    if (!pair.first.is_infinity() && !pair.second.is_infinity()) finite.push_back(pair);
  std::vector<MillerPoint<C>> running;
  for (const auto& pair : finite) running.emplace_back(pair.second);

  auto f = C::Fp12::one();
  for (std::size_t step = 1; step < digits.size(); ++step) {
    if (step > 1) f = f.square();
    for (std::size_t i = 0; i < finite.size(); ++i) {
      const auto& [p, q] = finite[i];
      multiply_line<C>(f, running[i].double_step(twist_b), p);
      if (digits[step] != 0) multiply_line<C>(f, running[i].add_step(digits[step] > 0 ? q : -q), p);
    }
  }
  if constexpr (C::id ==
                CurveId::bn254) {  // the two last lines of the optimal ate pairing (Vercauteren 2010)
    for (std::size_t i = 0; i < finite.size(); ++i) {
      const auto& [p, q] = finite[i];
      const auto q1 = psi<C>(q);
      multiply_line<C>(f, running[i].add_step(q1), p);
      multiply_line<C>(f, running[i].add_step(-psi<C>(q1)), p);
    }
  }
  return C::Params::x_is_negative ? f.conjugate() : f;
}

}  // namespace penstock::algebra
