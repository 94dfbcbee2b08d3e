// The curve BN254 (alt_bn128, "bn128" in snarkjs). Threads: any. Errors: none; in_subgroup REQUIRES on_curve.
#pragma once

#include "common/algebra/bn254_params.hpp"
#include "common/algebra/curve_traits.hpp"
#include "common/base/curve_id.hpp"

namespace penstock::algebra {

struct Bn254 : CurveTraits<Bn254Params> {
  static constexpr CurveId id = CurveId::bn254;
  static constexpr bool twist_is_m = false;

  static Fp g1_b() { return Fp::from_u64(Params::g1_b); }
  /// 3/(9+u): a D-type twist.
  static Fp2 g2_b();

  static bool on_curve(const G1& point) { return CurveTraits::on_curve(point, g1_b()); }
  static bool on_curve(const G2& point) { return CurveTraits::on_curve(point, g2_b()); }
  /// The cofactor of G1 is one.
  static bool in_subgroup(const G1&) { return true; }
  /// By the endomorphism ψ (subgroup.hpp). REQUIRES: on the curve.
  static bool in_subgroup(const G2& point);
};

}  // namespace penstock::algebra
