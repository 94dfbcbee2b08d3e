#include "common/circuit/curve_primes.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace penstock::circuit {
namespace {

template <class Limbs>
bool bytes_equal(std::span<const std::byte> bytes, const Limbs& limbs) {
  return std::ranges::equal(bytes, std::as_bytes(std::span(limbs)));
}

enum class PrimeOf { base_field, scalar_field };

/// The curve with this prime, if there is one.
std::optional<CurveId> curve_with(std::span<const std::byte> prime, PrimeOf field) {
  for (const auto curve : {CurveId::bn254, CurveId::bls12_381}) {
    const bool same = algebra::with_curve(curve, [&]<class C>(std::type_identity<C>) {
      return field == PrimeOf::base_field ? bytes_equal(prime, C::Fp::modulus())
                                          : bytes_equal(prime, C::Fr::modulus());
    });
    if (same) return curve;
  }
  return std::nullopt;
}

Result<CurveId> read_prime(ByteCursor& cursor, PrimeOf field) {
  const auto offset = cursor.file_offset();
  const std::string field_name = field == PrimeOf::base_field ? "base field" : "scalar field";
  const auto width = PENSTOCK_TRY(cursor.u32());
  const bool known_width = width == 32 || (field == PrimeOf::base_field && width == 48);
  if (!known_width)
    return Error{
        .code = ErrorCode::wrong_prime,
        .what = "a " + field_name + " of " + std::to_string(width) + " bytes is of no supported curve",
        .hint = "supported are bn254 (bn128) and bls12_381",
        .offset = offset};
  const auto prime = PENSTOCK_TRY(cursor.take(width));
  if (const auto curve = curve_with(prime, field)) return *curve;
  return Error{.code = ErrorCode::wrong_prime,
               .what = "the " + field_name + "'s prime belongs to no supported curve",
               .hint = "supported are bn254 (bn128) and bls12_381",
               .offset = offset + sizeof(width)};
}

}  // namespace

Result<CurveId> read_scalar_prime(ByteCursor& cursor) {
  return read_prime(cursor, PrimeOf::scalar_field);
}

Result<CurveId> read_both_primes(ByteCursor& cursor) {
  const auto of_base = PENSTOCK_TRY(read_prime(cursor, PrimeOf::base_field));
  const auto offset = cursor.file_offset();
  const auto of_scalars = PENSTOCK_TRY(read_prime(cursor, PrimeOf::scalar_field));
  if (of_base == of_scalars) return of_base;
  return Error{.code = ErrorCode::wrong_prime,
               .what = "the base field is " + std::string(name(of_base)) + "'s, the scalar field " +
                       std::string(name(of_scalars)) + "'s",
               .offset = offset};
}

Scalar scalar_modulus(CurveId curve) {
  return algebra::with_curve(curve,
                             []<class C>(std::type_identity<C>) -> Scalar { return C::Fr::modulus(); });
}

}  // namespace penstock::circuit
