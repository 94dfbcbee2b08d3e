// From a curve's id, known at run time, to code compiled for that curve.
#pragma once

#include <type_traits>

#include "common/algebra/bls12_381.hpp"
#include "common/algebra/bn254.hpp"
#include "common/base/curve_id.hpp"

namespace penstock::algebra {

/// visit(std::type_identity<Bn254>{}) or visit(std::type_identity<Bls12_381>{}); both return the same type.
template <class Visit>
decltype(auto) with_curve(CurveId curve, Visit&& visit) {
  if (curve == CurveId::bls12_381) return visit(std::type_identity<Bls12_381>{});
  return visit(std::type_identity<Bn254>{});
}

}  // namespace penstock::algebra
