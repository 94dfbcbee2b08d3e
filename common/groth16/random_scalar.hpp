// Uniform scalars of a curve by rejection, from any source of random bytes.
// Errors: os_random_bytes throws std::system_error when the system has no randomness (it then never returns a
// guess).
#pragma once

#include <cstddef>
#include <span>

#include "common/algebra/curves.hpp"
#include "common/base/sensitive.hpp"
#include "common/circuit/proof.hpp"

namespace penstock::groth16 {

/// getrandom(2), all of it. Threads: any.
void os_random_bytes(std::span<std::byte> out);

class ScalarSampler {
 public:
  explicit ScalarSampler(CurveId curve)
      : modulus_(algebra::with_curve(
            curve, [](auto c) -> circuit::Scalar { return decltype(c)::type::Fr::modulus(); })) {}

  /// fill(std::span<std::byte>) gives random bytes. About 1.3 draws on BN254, 1.1 on BLS12-381.
  template <class Fill>
  [[nodiscard]] circuit::Scalar draw(Fill&& fill) const {
    Sensitive<circuit::Scalar> candidate;
    do {
      fill(std::as_writable_bytes(std::span<std::uint64_t>(candidate.reveal())));
      candidate.reveal()[3] &= mask();
    } while (!is_below_modulus(candidate.reveal()));
    return candidate.reveal();
  }

 private:
  [[nodiscard]] std::uint64_t mask() const { return ~std::uint64_t{0} >> __builtin_clzll(modulus_[3]); }
  [[nodiscard]] bool is_below_modulus(const circuit::Scalar& value) const {
    for (std::size_t i = 4; i-- > 0;)
      if (value[i] != modulus_[i]) return value[i] < modulus_[i];
    return false;
  }
  circuit::Scalar modulus_;
};

}  // namespace penstock::groth16
