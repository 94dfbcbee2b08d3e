// What the compiler derives from a field's parameters. `Params` is data: limb_count, modulus, two_adicity,
// non_residue (bn254_params.hpp shows it).
#pragma once

#include <cstdint>

#include "common/algebra/limbs.hpp"

namespace penstock::algebra {

template <class Params>
struct FieldConstants {
  static constexpr int n = Params::limb_count;
  struct Raw {
    std::uint64_t limb[n];
  };
  static constexpr Raw raw(const LimbArray<n>& value) {
    Raw result{};
    for (int i = 0; i < n; ++i) result.limb[i] = value[static_cast<std::size_t>(i)];
    return result;
  }
  static constexpr Raw modulus = raw(Params::modulus);
  static constexpr Raw one = raw(limbs::power_of_two(64 * n, modulus.limb));         // R mod p
  static constexpr Raw r_squared = raw(limbs::power_of_two(128 * n, modulus.limb));  // R² mod p
  static constexpr std::uint64_t negated_inverse = limbs::negated_inverse(Params::modulus[0]);
  static_assert(Params::modulus[n - 1] < (std::uint64_t{1} << 63) - 1, "the no-carry product needs this");
};

}  // namespace penstock::algebra
