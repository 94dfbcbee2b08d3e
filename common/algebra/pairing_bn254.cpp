#include "common/algebra/final_exponentiation.hpp"
#include "common/algebra/miller_loop.hpp"

namespace penstock::algebra {

template Bn254::Fp12 miller_loop<Bn254>(std::span<const PointPair<Bn254>>);

/// The hard part by the vectorial addition chain of Scott, Benger, Charlemagne, Dominguez Perez and Kachisa,
/// "On the final exponentiation for calculating pairings on ordinary elliptic curves", Pairing 2009: k = 1.
template <>
Bn254::Fp12 final_exponentiation<Bn254>(const Bn254::Fp12& f) {
  const auto m = easy_part<Bn254>(f);
  const auto mx = power_of_x<Bn254>(m);
  const auto mx2 = power_of_x<Bn254>(mx);
  const auto mx3 = power_of_x<Bn254>(mx2);
  const auto y0 = frobenius<Bn254, 1>(m) * frobenius<Bn254, 2>(m) * frobenius<Bn254, 3>(m);
  const auto y1 = m.conjugate();
  const auto y2 = frobenius<Bn254, 2>(mx2);
  const auto y3 = frobenius<Bn254, 1>(mx).conjugate();
  const auto y4 = (mx * frobenius<Bn254, 1>(mx2)).conjugate();
  const auto y5 = mx2.conjugate();
  const auto y6 = (mx3 * frobenius<Bn254, 1>(mx3)).conjugate();
  // y0 · y1² · y2⁶ · y3¹² · y4¹⁸ · y5³⁰ · y6³⁶
  auto t0 = y6.cyclotomic_square() * y4 * y5;
  auto t1 = y3 * y5 * t0;
  t0 *= y2;
  t1 = (t1.cyclotomic_square() * t0).cyclotomic_square();
  t0 = t1 * y1;
  t1 *= y0;
  return t0.cyclotomic_square() * t1;
}

}  // namespace penstock::algebra
