// Writes a .zkey section by section, in snarkjs's order, without holding the key in memory twice.
// Errors: file_unwritable. The file appears only when finish() has succeeded (temporary beside it, then
// rename).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "common/base/result.hpp"
#include "common/circuit/proving_key.hpp"

namespace penstock::circuit {

/// snarkjs reads and proves with the file; section 10 holds no contribution and our insecure-dev mark.
template <class C>
struct NewKey {
  KeyShape shape;
  typename C::G1 alpha1, beta1, delta1;
  typename C::G2 beta2, gamma2, delta2;
  std::span<const typename C::G1> ic, a, b1, c, h;
  std::span<const typename C::G2> b2;
  std::span<const Coefficient> coefficients;
};

template <class C>
[[nodiscard]] Status write_insecure_dev_key(const std::filesystem::path& path, const NewKey<C>& key);

}  // namespace penstock::circuit
