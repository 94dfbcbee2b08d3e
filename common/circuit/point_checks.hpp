// One point's checks, in the order in which they are meaningful: canonical, on the curve, in the subgroup.
// Errors: not_canonical, point_off_curve, point_not_in_subgroup, naming the point by `where`.
#pragma once

#include <cstddef>
#include <string>

#include "common/algebra/curves.hpp"
#include "common/base/result.hpp"

namespace penstock::circuit {

template <class P>
[[nodiscard]] bool has_canonical_residue(const algebra::Field<P>& value) {
  return algebra::Field<P>::is_canonical(value.montgomery_limbs());
}
template <class F>
[[nodiscard]] bool has_canonical_residue(const algebra::Fp2<F>& value) {
  return has_canonical_residue(value.c0) && has_canonical_residue(value.c1);
}

/// REQUIRES canonical coordinates. Infinity passes.
template <class C, class F>
[[nodiscard]] Status check_point(const algebra::Affine<F>& point, const std::string& where) {
  if (!C::on_curve(point))
    return Error{.code = ErrorCode::point_off_curve, .what = where + " is off the curve"};
  if (!C::in_subgroup(point))
    return Error{.code = ErrorCode::point_not_in_subgroup,
                 .what = where + " is not in the subgroup of prime order"};
  return {};
}

}  // namespace penstock::circuit
