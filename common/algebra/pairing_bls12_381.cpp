#include "common/algebra/final_exponentiation.hpp"
#include "common/algebra/miller_loop.hpp"

namespace penstock::algebra {

template Bls12_381::Fp12 miller_loop<Bls12_381>(std::span<const PointPair<Bls12_381>>);

/// The hard part of Hayashida, Hayasaka and Teruya, "Efficient final exponentiation via cyclotomic structure
/// for pairings over families of elliptic curves", 2020/875: 3(p⁴ - p² + 1)/r = (x - 1)²(x + p)(x² + p² - 1)
/// + 3.
template <>
Bls12_381::Fp12 final_exponentiation<Bls12_381>(const Bls12_381::Fp12& f) {
  const auto m = easy_part<Bls12_381>(f);
  auto t = power_of_x<Bls12_381>(m) * m.conjugate();          // m^(x-1)
  t = power_of_x<Bls12_381>(t) * t.conjugate();               // m^((x-1)²)
  t = power_of_x<Bls12_381>(t) * frobenius<Bls12_381, 1>(t);  // … (x+p)
  const auto tx2 = power_of_x<Bls12_381>(power_of_x<Bls12_381>(t));
  t = tx2 * frobenius<Bls12_381, 2>(t) * t.conjugate();  // … (x²+p²-1)
  return t * m.cyclotomic_square() * m;
}

}  // namespace penstock::algebra
