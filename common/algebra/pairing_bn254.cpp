#include "common/algebra/final_exponentiation.hpp"
#include "common/algebra/miller_loop.hpp"

namespace penstock::algebra {

template Bn254::Fp12 miller_loop<Bn254>(std::span<const PointPair<Bn254>>);

/// The hard part by the lattice-derived chain of Fuentes-Castañeda, Knapp and Rodríguez-Henríquez, "Faster
/// hashing to G2", SAC 2011: (p⁴ - p² + 1)/r times k = 2x(6x² + 3x + 1), which gives snarkjs's value.
template <>
Bn254::Fp12 final_exponentiation<Bn254>(const Bn254::Fp12& f) {
  const auto m = easy_part<Bn254>(f);
  const auto m2x = power_of_x<Bn254>(m).cyclotomic_square();
  const auto m6x = m2x.cyclotomic_square() * m2x;
  const auto m6x2 = power_of_x<Bn254>(m6x);
  const auto m12x3 = power_of_x<Bn254>(m6x2.cyclotomic_square());
  const auto a = m12x3 * m6x2 * m6x;    // m^(12x³ + 6x² + 6x)
  const auto b = a * m2x.conjugate();   // m^(12x³ + 6x² + 4x)
  const auto low = a * m6x2 * m;        // m^(12x³ + 12x² + 6x + 1)
  const auto high = b * m.conjugate();  // m^(12x³ + 6x² + 4x - 1)
  return low * frobenius<Bn254, 1>(b) * frobenius<Bn254, 2>(a) * frobenius<Bn254, 3>(high);
}

}  // namespace penstock::algebra
