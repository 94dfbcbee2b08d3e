#include "common/algebra/bls12_381.hpp"
#include "common/algebra/bn254.hpp"
#include "common/algebra/endomorphism.hpp"

namespace penstock::algebra {

Bn254::Fp2 Bn254::g2_b() {
  static const Fp2 b = Fp2::from_u64(Params::g1_b) * Fp2::one().mul_by_nonresidue().inverse();
  return b;
}

// [x+1]P + ψ([x]P) + ψ²([x]P) = ψ³([2x]P): El Housni, Guillevic and Piellard, "Co-factor clearing and
// subgroup membership testing on pairing-friendly curves", Africacrypt 2022, section 4. Cost: one 63-bit
// multiplication.
bool Bn254::in_subgroup(const G2& point) {
  const auto p = Jacobian<Fp2>::from(point);
  const auto xp = multiply_by_parameter<Bn254>(p);
  const auto psi_xp = psi<Bn254>(xp);
  auto left = xp;
  left.add(point);
  left.add(psi_xp);
  const auto psi2_xp = psi<Bn254>(psi_xp);
  left.add(psi2_xp);
  auto right = psi<Bn254>(psi2_xp);
  right.double_in_place();
  return left == right;
}

// φ(P) = -[x²]P: Scott, "A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves",
// 2021/1130; after Bowe, "Faster subgroup checks for BLS12-381", 2019/814. Cost: 126 doublings.
bool Bls12_381::in_subgroup(const G1& point) {
  if (point.is_infinity()) return true;
  const auto p = Jacobian<Fp>::from(point);
  const Jacobian<Fp> phi{p.x * cube_root_of_unity<Bls12_381>(), p.y, p.z};
  return phi == -multiply_by_parameter<Bls12_381>(multiply_by_parameter<Bls12_381>(p));
}

// ψ(P) = [x]P, x negative: Scott 2021/1130. Cost: 63 doublings.
bool Bls12_381::in_subgroup(const G2& point) {
  const auto p = Jacobian<Fp2>::from(point);
  return psi<Bls12_381>(p) == -multiply_by_parameter<Bls12_381>(p);
}

}  // namespace penstock::algebra
