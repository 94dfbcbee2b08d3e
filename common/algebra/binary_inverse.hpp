// The inverse by its method's name: on a host, Field::inverse and Fp2::inverse are the binary GCD
// (binary_gcd.hpp).
#pragma once

#include "common/algebra/field.hpp"
#include "common/algebra/fp2.hpp"

namespace penstock::algebra {

/// 1/value; 0 for 0.
template <class F>
[[nodiscard]] F binary_inverse(const F& value) {
  return value.inverse();
}

}  // namespace penstock::algebra
