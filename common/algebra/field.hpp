// A prime field in Montgomery form: Field<Params>, for host, device and constant evaluation.
// Shape: limb_count little-endian 64-bit limbs, always the canonical residue (< p); the memory is the file
// form of
//        coordinates in a zkey. Trivially copyable; a default-constructed element is indeterminate.
// Threads: no state but the choice of product (product_path.hpp).
// Errors: none; preconditions are stated. Time depends on values in inverse, pow, sqrt and comparisons.
// Cost: a product is 2n² + n word products, an inverse on a host about 100 products.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "common/algebra/limbs.hpp"
#include "common/algebra/product.hpp"
#include "common/base/host_device.hpp"

namespace penstock::algebra {

template <class ParamsT>
struct Field {
  using Params = ParamsT;
  using Constants = FieldConstants<Params>;
  static constexpr int limb_count = Params::limb_count;
  static constexpr std::size_t size_bytes = static_cast<std::size_t>(limb_count) * 8;
  using Limbs = LimbArray<limb_count>;  // a plain integer, little endian

  std::uint64_t limb[limb_count];  // the Montgomery residue, < p

  PENSTOCK_HD static constexpr Field zero() { return Field{}; }
  PENSTOCK_HD static constexpr Field one() { return from_raw(Constants::one); }
  PENSTOCK_HD static constexpr Field from_u64(std::uint64_t value) {
    Field plain{};
    plain.limb[0] = value;
    return plain * from_raw(Constants::r_squared);
  }
  PENSTOCK_HD static constexpr Field from_i64(std::int64_t value) {
    const auto magnitude = static_cast<std::uint64_t>(value);
    return value < 0 ? -from_u64(0 - magnitude) : from_u64(magnitude);
  }
  /// REQUIRES: plain < p. Cost: one product.
  PENSTOCK_HD static constexpr Field from_limbs(const Limbs& plain) {
    return from_montgomery(plain) * from_raw(Constants::r_squared);
  }
  /// REQUIRES: residue < p.
  PENSTOCK_HD static constexpr Field from_montgomery(const Limbs& residue) {
    Field result{};
    for (int i = 0; i < limb_count; ++i) result.limb[i] = residue[static_cast<std::size_t>(i)];
    return result;
  }
  /// The plain canonical integer. Cost: one product.
  PENSTOCK_HD constexpr Limbs to_limbs() const {
    Field unit{};
    unit.limb[0] = 1;
    return (*this * unit).montgomery_limbs();
  }
  PENSTOCK_HD constexpr Limbs montgomery_limbs() const {
    Limbs result{};
    for (int i = 0; i < limb_count; ++i) result[static_cast<std::size_t>(i)] = limb[i];
    return result;
  }
  PENSTOCK_HD static constexpr bool is_canonical(const Limbs& value) {
    constexpr typename Constants::Raw modulus_raw = Constants::modulus;
    const Field candidate = from_montgomery(value);
    return limbs::less(candidate.limb, modulus_raw.limb);
  }
  PENSTOCK_HD static constexpr Limbs modulus() { return from_raw(Constants::modulus).montgomery_limbs(); }
  static constexpr int modulus_bits() { return limbs::bit_length(Params::modulus); }

  PENSTOCK_HD friend constexpr Field operator+(const Field& a, const Field& b) {
    Field result;
    algebra::add<Params>(result.limb, a.limb, b.limb);
    return result;
  }
  PENSTOCK_HD friend constexpr Field operator-(const Field& a, const Field& b) {
    Field result;
    algebra::subtract<Params>(result.limb, a.limb, b.limb);
    return result;
  }
  PENSTOCK_HD constexpr Field operator-() const { return zero() - *this; }
  PENSTOCK_HD friend constexpr Field operator*(const Field& a, const Field& b) {
    Field result;
    algebra::multiply<Params>(result.limb, a.limb, b.limb);
    return result;
  }
  PENSTOCK_HD constexpr Field square() const {
    Field result;
    algebra::square<Params>(result.limb, limb);
    return result;
  }
  PENSTOCK_HD constexpr Field doubled() const { return *this + *this; }
  /// This times 1/2, by a shift.
  PENSTOCK_HD_LARGE constexpr Field halved() const {
    constexpr typename Constants::Raw modulus_raw = Constants::modulus;
    const std::uint64_t mask = 0 - (limb[0] & 1);
    Field even{};
    std::uint64_t carry = 0;
    for (int i = 0; i < limb_count; ++i)
      even.limb[i] = limbs::add_carry(limb[i], modulus_raw.limb[i] & mask, carry);
    Field result{};
    for (int i = 0; i < limb_count; ++i) {
      const std::uint64_t above = i + 1 < limb_count ? even.limb[i + 1] : carry;
      result.limb[i] = (even.limb[i] >> 1) | (above << 63);
    }
    return result;
  }
  PENSTOCK_HD constexpr Field& operator+=(const Field& other) { return *this = *this + other; }
  PENSTOCK_HD constexpr Field& operator-=(const Field& other) { return *this = *this - other; }
  PENSTOCK_HD constexpr Field& operator*=(const Field& other) { return *this = *this * other; }

  PENSTOCK_HD friend constexpr bool operator==(const Field& a, const Field& b) {
    std::uint64_t difference = 0;
    for (int i = 0; i < limb_count; ++i) difference |= a.limb[i] ^ b.limb[i];
    return difference == 0;
  }
  PENSTOCK_HD constexpr bool is_zero() const { return *this == zero(); }
  PENSTOCK_HD constexpr bool is_one() const { return *this == one(); }

  /// This to the power of a little-endian exponent of any length; 0^0 = 1.
  PENSTOCK_HD_LARGE constexpr Field pow(std::span<const std::uint64_t> exponent) const {
    Field result = one();
    for (std::size_t i = exponent.size() * 64; i-- > 0;) {
      result = result.square();
      if ((exponent[i / 64] >> (i % 64)) & 1) result *= *this;
    }
    return result;
  }
  /// 0 for 0. A binary GCD on a host, a Fermat power elsewhere.
  PENSTOCK_HD_LARGE constexpr Field inverse() const {
#if !defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) {
      Field result;
      host::Arithmetic<Params>::invert(result.limb, limb);
      return result;
    }
#endif
    Limbs exponent = modulus();
    exponent[0] -= 2;  // the modulus is odd and above 2: no borrow
    return pow(exponent);
  }
  /// A square root, or nothing for a non-residue. Tonelli and Shanks; one power when p = 3 mod 4.
  [[nodiscard]] constexpr std::optional<Field> sqrt() const {
    constexpr int s = Params::two_adicity;
    Limbs odd = modulus();
    odd[0] -= 1;
    odd = limbs::shifted_right(odd, s);                    // p - 1 = odd · 2^s
    const Field half = pow(limbs::shifted_right(odd, 1));  // this^((odd - 1)/2)
    Field root = half * *this;                             // this^((odd + 1)/2)
    Field excess = root * half;                            // this^odd, of order 2^k with k < s for a square
    Field generator = from_u64(Params::non_residue).pow(odd);
    for (int remaining = s; !excess.is_one() && !is_zero();) {
      int order = 0;
      for (Field power = excess; !power.is_one(); power = power.square())
        if (++order == remaining) return std::nullopt;
      for (int i = 0; i < remaining - order - 1; ++i) generator = generator.square();
      root *= generator;
      generator = generator.square();
      excess *= generator;
      remaining = order;
    }
    return root;
  }

 private:
  PENSTOCK_HD static constexpr Field from_raw(const typename Constants::Raw& raw) {
    Field result{};
    for (int i = 0; i < limb_count; ++i) result.limb[i] = raw.limb[i];
    return result;
  }
};

/// Every value becomes its inverse; zeros stay zero. Montgomery's trick. Cost: one inverse and 3 products
/// each; allocates values.size() elements.
template <class F>
void batch_inverse(std::span<F> values) {
  std::vector<F> prefix(values.size());
  F product = F::one();
  for (std::size_t i = 0; i < values.size(); ++i) {
    prefix[i] = product;
    if (!values[i].is_zero()) product *= values[i];
  }
  F inverse = product.inverse();
  for (std::size_t i = values.size(); i-- > 0;) {
    if (values[i].is_zero()) continue;
    const F value = values[i];
    values[i] = inverse * prefix[i];
    inverse *= value;
  }
}

}  // namespace penstock::algebra
