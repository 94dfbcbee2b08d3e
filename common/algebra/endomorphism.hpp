// The endomorphisms of both curves: φ(x, y) = (βx, y) on G1 and ψ = untwist, Frobenius, twist on G2
// (Galbraith and Scott, Pairing 2008). Their constants are derived from the curve's parameters at first use.
// Threads: any. Errors: none. Cost: φ one product, ψ two Fp2 products.
#pragma once

#include <array>
#include <cstdint>

#include "common/algebra/curve.hpp"
#include "common/algebra/fp2.hpp"

namespace penstock::algebra {

/// (p - 1)/divisor. REQUIRES: divisor divides p - 1.
template <class F>
typename F::Limbs group_order_over(std::uint64_t divisor) {
  typename F::Limbs value = F::modulus();
  value[0] -= 1;
  std::uint64_t remainder = 0;
  for (std::size_t i = value.size(); i-- > 0;) {
    const limbs::Wide part = (limbs::Wide{remainder} << 64) | value[i];
    value[i] = static_cast<std::uint64_t>(part / divisor);
    remainder = static_cast<std::uint64_t>(part % divisor);
  }
  return value;
}

/// ξ^((p-1)/6), from which every Frobenius coefficient of the tower and the twist follows.
template <class F>
const Fp2<F>& frobenius_sixth() {
  static const Fp2<F> value = Fp2<F>::one().mul_by_nonresidue().pow(group_order_over<F>(6));
  return value;
}

/// What ψ multiplies the conjugated coordinates by. An M-type twist (ξ in b's numerator) takes the inverses.
template <class C>
struct TwistFrobenius {
  typename C::Fp2 x, y;

  static const TwistFrobenius& get() {
    static const TwistFrobenius value = derive();
    return value;
  }

 private:
  static TwistFrobenius derive() {
    const auto sixth = frobenius_sixth<typename C::Fp>();
    const auto third = sixth.square();
    if constexpr (C::twist_is_m) return {third.inverse(), (third * sixth).inverse()};
    return {third, third * sixth};
  }
};

template <class C>
typename C::G2 psi(const typename C::G2& point) {
  const auto& factor = TwistFrobenius<C>::get();
  return {point.x.conjugate() * factor.x, point.y.conjugate() * factor.y};
}
template <class C>
Jacobian<typename C::Fp2> psi(const Jacobian<typename C::Fp2>& point) {
  const auto& factor = TwistFrobenius<C>::get();
  return {point.x.conjugate() * factor.x, point.y.conjugate() * factor.y, point.z.conjugate()};
}

/// The cube root of unity β for which φ acts on BLS12-381 G1 as -x² (the other acts as x² - 1).
template <class C>
const typename C::Fp& cube_root_of_unity() {
  using Fp = typename C::Fp;
  static const Fp value = [] {
    const Fp half = Fp::from_u64(2).inverse();
    const Fp beta = (*(-Fp::from_u64(3)).sqrt() - Fp::one()) * half;
    const std::array<std::uint64_t, 1> x = {C::Params::x};
    const auto g = Jacobian<Fp>::from(C::g1_generator());
    const auto image =
        -scalar_multiply<Jacobian<Fp>>(scalar_multiply<Jacobian<Fp>>(C::g1_generator(), x).to_affine(), x);
    return Jacobian<Fp>{g.x * beta, g.y, g.z} == image ? beta : beta.square();
  }();
  return value;
}

/// |x|·P for the curve's parameter x. Cost: 63 doublings and weight(x) - 1 additions.
template <class C, class F>
Jacobian<F> multiply_by_parameter(const Jacobian<F>& point) {
  Jacobian<F> result = point;
  for (int i = 62 - __builtin_clzll(C::Params::x); i >= 0; --i) {
    result.double_in_place();
    if ((C::Params::x >> i) & 1) result.add(point);
  }
  return result;
}

}  // namespace penstock::algebra
