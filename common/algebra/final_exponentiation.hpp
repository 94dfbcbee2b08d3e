// What the final exponentiations of both curves share: Frobenius maps of Fp12, the easy part and powers of x
// in the cyclotomic subgroup. Included only by the file that instantiates the pairing of a curve.
#pragma once

#include <array>
#include <cstdint>

#include "common/algebra/endomorphism.hpp"
#include "common/algebra/pairing.hpp"

namespace penstock::algebra {

/// γ[k-1][i] = ξ^(i(p^k - 1)/6): what the p^k-power Frobenius multiplies the coefficient of w^i by.
template <class C>
using FrobeniusTable = std::array<std::array<typename C::Fp2, 6>, 3>;

template <class C>
const FrobeniusTable<C>& frobenius_table() {
  static const FrobeniusTable<C> table = [] {
    FrobeniusTable<C> result;
    auto gamma = frobenius_sixth<typename C::Fp>();
    for (auto& row : result) {
      row[0] = C::Fp2::one();
      for (std::size_t i = 1; i < 6; ++i) row[i] = row[i - 1] * gamma;
      gamma = frobenius_sixth<typename C::Fp>() * gamma.conjugate();
    }
    return result;
  }();
  return table;
}

/// f^(p^power) for power 1, 2 or 3. Cost: 5 Fp2 products.
template <class C, int power>
typename C::Fp12 frobenius(const typename C::Fp12& f) {
  static_assert(power >= 1 && power <= 3);
  const auto& gamma = frobenius_table<C>()[power - 1];
  const auto map = [&](const typename C::Fp2& c, std::size_t i) {
    return (power % 2 == 1 ? c.conjugate() : c) * gamma[i];
  };
  return {{map(f.c0.c0, 0), map(f.c0.c1, 2), map(f.c0.c2, 4)},
          {map(f.c1.c0, 1), map(f.c1.c1, 3), map(f.c1.c2, 5)}};
}

/// f^((p⁶ - 1)(p² + 1)): into the cyclotomic subgroup, where conjugation inverts.
template <class C>
typename C::Fp12 easy_part(const typename C::Fp12& f) {
  const auto unitary = f.conjugate() * f.inverse();
  return frobenius<C, 2>(unitary) * unitary;
}

/// f^x for the curve's signed parameter x. REQUIRES: f in the cyclotomic subgroup.
template <class C>
typename C::Fp12 power_of_x(const typename C::Fp12& f) {
  auto result = f;
  for (int i = 62 - __builtin_clzll(C::Params::x); i >= 0; --i) {
    result = result.cyclotomic_square();
    if ((C::Params::x >> i) & 1) result *= f;
  }
  return C::Params::x_is_negative ? result.conjugate() : result;
}

}  // namespace penstock::algebra
