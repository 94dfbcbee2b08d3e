// A field whose scalar roots of unity end at 2^5, so that a domain reaches the two-adicity: r = 97, 96 = 2^5
// * 3.
#pragma once

#include "common/algebra/field.hpp"

namespace penstock::groth16::testing {

struct ToyParams {
  static constexpr int limb_count = 4;
  static constexpr algebra::LimbArray<4> modulus = algebra::limbs::from_hex<4>("0x61");
  static constexpr int two_adicity = 5;
  static constexpr std::uint64_t non_residue = 5;
};
using ToyField = algebra::Field<ToyParams>;

/// The rules of snarkjs_roots() for any field: 5^t, and 25 where there is no further root.
template <class F>
F root_of_unity(int log2) {
  auto odd = F::modulus();
  odd[0] -= 1;
  F root = F::from_u64(5).pow(algebra::limbs::shifted_right(odd, F::Params::two_adicity));
  for (int i = F::Params::two_adicity; i > log2; --i) root = root.square();
  return root;
}
template <class F>
F coset_shift(int log2) {
  return log2 == F::Params::two_adicity ? F::from_u64(25) : root_of_unity<F>(log2 + 1);
}

}  // namespace penstock::groth16::testing
