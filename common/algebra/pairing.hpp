// The optimal ate pairing e: G1 × G2 → GT ⊂ Fp12 on both curves, and the product check of a Groth16
// verification. The value is snarkjs's (vk_alphabeta_12 of its verification keys), in the tower of tower.hpp.
// Threads: any. Errors: none. REQUIRES: points on the curve and in the subgroup; infinity pairs to one.
// Cost: one Miller loop shares its squarings among all pairs, and there is one final exponentiation.
#pragma once

#include <span>
#include <utility>

#include "common/algebra/bls12_381.hpp"
#include "common/algebra/bn254.hpp"

namespace penstock::algebra {

template <class C>
using PointPair = std::pair<typename C::G1, typename C::G2>;

/// Π f_{Q_i}(P_i), before the final exponentiation.
template <class C>
[[nodiscard]] typename C::Fp12 miller_loop(std::span<const PointPair<C>> pairs);

/// f^((p^12 - 1)/r · k), with the k of the curve's addition chain. REQUIRES: f is not zero.
template <class C>
[[nodiscard]] typename C::Fp12 final_exponentiation(const typename C::Fp12& f);

template <class C>
[[nodiscard]] typename C::Fp12 pairing(const typename C::G1& p, const typename C::G2& q) {
  const PointPair<C> pair{p, q};
  return final_exponentiation<C>(miller_loop<C>({&pair, 1}));
}

/// Π e(P_i, Q_i) = 1; an empty product is one.
template <class C>
[[nodiscard]] bool pairing_product_is_one(std::span<const std::pair<typename C::G1, typename C::G2>> pairs) {
  return final_exponentiation<C>(miller_loop<C>(pairs)).is_one();
}

extern template Bn254::Fp12 miller_loop<Bn254>(std::span<const PointPair<Bn254>>);
template <>
Bn254::Fp12 final_exponentiation<Bn254>(const Bn254::Fp12&);
extern template Bls12_381::Fp12 miller_loop<Bls12_381>(std::span<const PointPair<Bls12_381>>);
template <>
Bls12_381::Fp12 final_exponentiation<Bls12_381>(const Bls12_381::Fp12&);

}  // namespace penstock::algebra
