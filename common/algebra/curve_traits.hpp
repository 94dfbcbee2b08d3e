// What both curve structs share: types, generators, equations and roots of unity, derived from a parameter
// file. Threads: all functions may be called from any thread. Errors: none; preconditions are stated.
#pragma once

#include <array>
#include <cstdint>

#include "common/algebra/curve.hpp"
#include "common/algebra/field.hpp"
#include "common/algebra/fp2.hpp"
#include "common/algebra/tower.hpp"

namespace penstock::algebra {

template <class ParamsT>
struct CurveTraits {
  using Params = ParamsT;
  using Fp = Field<typename Params::FpParams>;
  using Fr = Field<typename Params::FrParams>;
  using Fp2 = algebra::Fp2<Fp>;
  using Fp12 = algebra::Fp12<Fp>;
  using G1 = Affine<Fp>;
  using G2 = Affine<Fp2>;
  using G1Sum = Xyzz<Fp>;
  using G2Sum = Xyzz<Fp2>;
  static constexpr int two_adicity = Params::FrParams::two_adicity;

  static constexpr G1 g1_generator() { return {Fp::from_limbs(Params::g1_x), Fp::from_limbs(Params::g1_y)}; }
  static constexpr G2 g2_generator() {
    return {{Fp::from_limbs(Params::g2_x_c0), Fp::from_limbs(Params::g2_x_c1)},
            {Fp::from_limbs(Params::g2_y_c0), Fp::from_limbs(Params::g2_y_c1)}};
  }
  /// y² = x³ + b; infinity is on the curve.
  static bool on_curve(const G1& point, const Fp& b) {
    return point.is_infinity() || point.y.square() == point.x.square() * point.x + b;
  }
  static bool on_curve(const G2& point, const Fp2& b) {
    return point.is_infinity() || point.y.square() == point.x.square() * point.x + b;
  }
  /// A primitive 2^log2n-th root of unity of Fr, of the family 5^t that snarkjs writes into its keys (on both
  /// curves; the root belongs to the key's format, not to the curve). REQUIRES: 0 <= log2n <= two_adicity.
  static Fr root_of_unity(int log2n) {
    static const Fr primitive = primitive_root();
    Fr root = primitive;
    for (int i = two_adicity; i > log2n; --i) root = root.square();
    return root;
  }
  /// The shift of the coset on which H is evaluated: the next root, or 5² where there is none.
  /// REQUIRES: 0 <= domain_log2 <= two_adicity.
  static Fr coset_shift(int domain_log2) {
    if (domain_log2 == two_adicity) return Fr::from_u64(Params::FrParams::non_residue).square();
    return root_of_unity(domain_log2 + 1);
  }

 private:
  static Fr primitive_root() {
    auto odd = Fr::modulus();
    odd[0] -= 1;
    return Fr::from_u64(Params::FrParams::non_residue).pow(limbs::shifted_right(odd, two_adicity));
  }
};

}  // namespace penstock::algebra
