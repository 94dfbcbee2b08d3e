// Integers of a fixed number of 64-bit limbs, least significant first: the portable arithmetic under Field.
// Everything here is constexpr, so that a field's constants are derived from its modulus by the compiler.
// Threads: no state. Errors: none; each function says what it requires.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/base/host_device.hpp"

namespace penstock::algebra {

template <int n>
using LimbArray = std::array<std::uint64_t, static_cast<std::size_t>(n)>;

namespace limbs {

__extension__ using Wide = unsigned __int128;

/// a + b + carry; carry (0 or 1) becomes the carry out.
PENSTOCK_HD constexpr std::uint64_t add_carry(std::uint64_t a, std::uint64_t b, std::uint64_t& carry) {
  const Wide sum = Wide{a} + b + carry;
  carry = static_cast<std::uint64_t>(sum >> 64);
  return static_cast<std::uint64_t>(sum);
}

/// a - b - borrow; borrow (0 or 1) becomes the borrow out.
PENSTOCK_HD constexpr std::uint64_t subtract_borrow(std::uint64_t a, std::uint64_t b, std::uint64_t& borrow) {
  const Wide difference = Wide{a} - b - borrow;
  borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  return static_cast<std::uint64_t>(difference);
}

/// accumulator + a·b + carry; carry becomes the high limb. Cannot overflow.
PENSTOCK_HD constexpr std::uint64_t multiply_add(std::uint64_t accumulator, std::uint64_t a, std::uint64_t b,
                                                 std::uint64_t& carry) {
  const Wide sum = Wide{a} * b + accumulator + carry;
  carry = static_cast<std::uint64_t>(sum >> 64);
  return static_cast<std::uint64_t>(sum);
}

/// a < b as integers.
template <int n>
PENSTOCK_HD constexpr bool less(const std::uint64_t (&a)[n], const std::uint64_t (&b)[n]) {
  std::uint64_t borrow = 0;
  for (int i = 0; i < n; ++i) static_cast<void>(subtract_borrow(a[i], b[i], borrow));
  return borrow != 0;
}

/// value - modulus when value >= modulus (or when value has overflowed its limbs), else value. No branch.
template <int n>
PENSTOCK_HD constexpr void reduce_once(std::uint64_t (&value)[n], const std::uint64_t (&modulus)[n],
                                       std::uint64_t overflow = 0) {
  std::uint64_t reduced[n] = {};
  std::uint64_t borrow = 0;
  for (int i = 0; i < n; ++i) reduced[i] = subtract_borrow(value[i], modulus[i], borrow);
  const std::uint64_t keep = 0 - (borrow & (overflow ^ 1));
  for (int i = 0; i < n; ++i) value[i] = (value[i] & keep) | (reduced[i] & ~keep);
}

/// result = a + b mod p. REQUIRES: a < p, b < p, 2p < 2^(64n).
template <int n>
PENSTOCK_HD constexpr void modular_sum(std::uint64_t (&result)[n], const std::uint64_t (&a)[n],
                                       const std::uint64_t (&b)[n], const std::uint64_t (&modulus)[n]) {
  std::uint64_t carry = 0;
  for (int i = 0; i < n; ++i) result[i] = add_carry(a[i], b[i], carry);
  reduce_once(result, modulus);
}

/// result = a - b mod p. REQUIRES: a < p, b < p.
template <int n>
PENSTOCK_HD constexpr void modular_difference(std::uint64_t (&result)[n], const std::uint64_t (&a)[n],
                                              const std::uint64_t (&b)[n],
                                              const std::uint64_t (&modulus)[n]) {
  std::uint64_t borrow = 0;
  for (int i = 0; i < n; ++i) result[i] = subtract_borrow(a[i], b[i], borrow);
  const std::uint64_t mask = 0 - borrow;
  std::uint64_t carry = 0;
  for (int i = 0; i < n; ++i) result[i] = add_carry(result[i], modulus[i] & mask, carry);
}

/// result = a·b / 2^(64n) mod p, coarsely integrated operand scanning (Koç, Acar, Kaliski 1996).
/// REQUIRES: a·b < p·2^(64n) and 2p < 2^(64n). Cost: 2n² + n word products.
template <int n>
PENSTOCK_HD constexpr void montgomery_product(std::uint64_t (&result)[n], const std::uint64_t (&a)[n],
                                              const std::uint64_t (&b)[n], const std::uint64_t (&modulus)[n],
                                              std::uint64_t negated_inverse) {
  std::uint64_t t[n + 2] = {};
  for (int i = 0; i < n; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; j < n; ++j) t[j] = multiply_add(t[j], a[j], b[i], carry);
    std::uint64_t top = 0;
    t[n] = add_carry(t[n], carry, top);
    t[n + 1] = top;
    const std::uint64_t m = t[0] * negated_inverse;
    carry = 0;
    static_cast<void>(multiply_add(t[0], m, modulus[0], carry));
    for (int j = 1; j < n; ++j) t[j - 1] = multiply_add(t[j], m, modulus[j], carry);
    top = 0;
    t[n - 1] = add_carry(t[n], carry, top);
    t[n] = t[n + 1] + top;
  }
  for (int i = 0; i < n; ++i) result[i] = t[i];
  reduce_once(result, modulus);
}

/// The full 2n-limb product. REQUIRES: result overlaps neither operand.
template <int n>
PENSTOCK_HD constexpr void wide_product(std::uint64_t (&result)[2 * n], const std::uint64_t (&a)[n],
                                        const std::uint64_t (&b)[n]) {
  for (int i = 0; i < 2 * n; ++i) result[i] = 0;
  for (int i = 0; i < n; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; j < n; ++j) result[i + j] = multiply_add(result[i + j], a[j], b[i], carry);
    result[i + n] = carry;
  }
}

/// result = value / 2^(64n) mod p. REQUIRES: value < p·2^(64n). Cost: n² + n word products.
template <int n>
PENSTOCK_HD constexpr void montgomery_reduce(std::uint64_t (&result)[n], const std::uint64_t (&value)[2 * n],
                                             const std::uint64_t (&modulus)[n],
                                             std::uint64_t negated_inverse) {
  std::uint64_t t[n] = {};
  for (int i = 0; i < n; ++i) t[i] = value[i];
  for (int row = 0; row < n; ++row) {
    const std::uint64_t m = t[0] * negated_inverse;
    std::uint64_t carry = 0;
    static_cast<void>(multiply_add(t[0], m, modulus[0], carry));
    for (int j = 1; j < n; ++j) t[j - 1] = multiply_add(t[j], m, modulus[j], carry);
    t[n - 1] = carry;
  }
  std::uint64_t carry = 0;
  for (int i = 0; i < n; ++i) result[i] = add_carry(t[i], value[n + i], carry);
  reduce_once(result, modulus);
}

/// -1/modulus mod 2^64 by Newton's iteration. REQUIRES: an odd modulus.
constexpr std::uint64_t negated_inverse(std::uint64_t modulus) {
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - modulus * inverse;
  return 0 - inverse;
}

/// 2^exponent mod modulus. REQUIRES: 2·modulus < 2^(64n).
template <int n>
constexpr LimbArray<n> power_of_two(int exponent, const std::uint64_t (&modulus)[n]) {
  std::uint64_t value[n] = {1};
  for (int step = 0; step < exponent; ++step) {
    std::uint64_t carry = 0;
    for (int i = 0; i < n; ++i) value[i] = add_carry(value[i], value[i], carry);
    reduce_once(value, modulus);
  }
  LimbArray<n> result{};
  for (int i = 0; i < n; ++i) result[static_cast<std::size_t>(i)] = value[i];
  return result;
}

/// A number written "0x…" as limbs, so that parameter files read like the papers. A bad digit does not
/// compile.
template <int n>
consteval LimbArray<n> from_hex(std::string_view text) {
  LimbArray<n> result{};
  int shift = 0;
  for (std::size_t i = text.size(); i-- > 2;) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : throw "bad digit";
    result[static_cast<std::size_t>(shift / 64)] |= static_cast<std::uint64_t>(digit) << (shift % 64);
    shift += 4;
  }
  return result;
}

/// The position of the highest set bit plus one; 0 for zero.
template <std::size_t n>
constexpr int bit_length(const std::array<std::uint64_t, n>& value) {
  for (int i = static_cast<int>(n) * 64 - 1; i >= 0; --i)
    if ((value[static_cast<std::size_t>(i / 64)] >> (i % 64)) & 1) return i + 1;
  return 0;
}

template <std::size_t n>
PENSTOCK_HD constexpr bool bit(const std::array<std::uint64_t, n>& value, int index) {
  return ((value[static_cast<std::size_t>(index / 64)] >> (index % 64)) & 1) != 0;
}

/// value >> count, for 0 <= count < 64n.
template <std::size_t n>
constexpr std::array<std::uint64_t, n> shifted_right(const std::array<std::uint64_t, n>& value, int count) {
  std::array<std::uint64_t, n> result{};
  const int total = static_cast<int>(n) * 64;
  for (int i = 0; i + count < total; ++i)
    if (bit(value, i + count)) result[static_cast<std::size_t>(i / 64)] |= std::uint64_t{1} << (i % 64);
  return result;
}

}  // namespace limbs
}  // namespace penstock::algebra
