// Which curve a file belongs to, told by the primes in its header.
// Errors: wrong_prime (of no curve we know, of the wrong width, or q and r of different curves), with the
// offset.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "common/algebra/curves.hpp"
#include "common/base/result.hpp"
#include "common/circuit/byte_cursor.hpp"
#include "common/circuit/proof.hpp"

namespace penstock::circuit {

inline constexpr std::size_t scalar_bytes = sizeof(Scalar);

/// {n8 u32, r}: the scalar field's prime.
[[nodiscard]] Result<CurveId> read_scalar_prime(ByteCursor& cursor);
/// {n8q u32, q, n8r u32, r}: both primes of a key's header.
[[nodiscard]] Result<CurveId> read_both_primes(ByteCursor& cursor);

/// The prime as its field's limbs lie in memory and files.
[[nodiscard]] Scalar scalar_modulus(CurveId curve);

/// The scalar in a packed record, wherever it lies.
[[nodiscard]] inline Scalar scalar_at(const void* limbs) {
  Scalar value;
  std::memcpy(value.data(), limbs, sizeof(value));
  return value;
}

/// value < r, both plain.
[[nodiscard]] inline bool is_below(const Scalar& value, const Scalar& modulus) {
  for (std::size_t i = value.size(); i-- > 0;)
    if (value[i] != modulus[i]) return value[i] < modulus[i];
  return false;
}

}  // namespace penstock::circuit
