// The curve BLS12-381 ("bls12381" in snarkjs). Threads: any. Errors: none; in_subgroup REQUIRES on_curve.
#pragma once

#include "common/algebra/bls12_381_params.hpp"
#include "common/algebra/curve_traits.hpp"
#include "common/base/curve_id.hpp"

namespace penstock::algebra {

struct Bls12_381 : CurveTraits<Bls12381Params> {
  static constexpr CurveId id = CurveId::bls12_381;
  static constexpr bool twist_is_m = true;

  static Fp g1_b() { return Fp::from_u64(Params::g1_b); }
  /// 4(1+u): an M-type twist.
  static Fp2 g2_b() { return {g1_b(), g1_b()}; }

  static bool on_curve(const G1& point) { return CurveTraits::on_curve(point, g1_b()); }
  static bool on_curve(const G2& point) { return CurveTraits::on_curve(point, g2_b()); }
  /// By the endomorphisms φ and ψ (subgroup.hpp). REQUIRES: on the curve.
  static bool in_subgroup(const G1& point);
  static bool in_subgroup(const G2& point);
};

}  // namespace penstock::algebra
