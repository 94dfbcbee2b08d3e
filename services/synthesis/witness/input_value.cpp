// From digits to a field element.
#include <algorithm>
#include <span>

#include "common/base/sensitive.hpp"
#include "services/synthesis/witness/input_json.hpp"

namespace penstock::synthesis {
namespace {

/// Room for max_value_digits decimal or hexadecimal digits: 4 bits a digit.
using WideLimbs = std::array<std::uint64_t, max_value_digits / 16>;

unsigned digit_value(char c) {
  if (c <= '9') return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}

/// wide = wide * factor + addend over the first `used` limbs; grows `used` when a carry is left.
void multiply_add(WideLimbs& wide, std::size_t& used, std::uint64_t factor, std::uint64_t addend) {
  unsigned __int128 carry = addend;
  for (std::size_t i = 0; i < used; ++i) {
    carry += static_cast<unsigned __int128>(wide[i]) * factor;
    wide[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  if (carry != 0) wide[used++] = static_cast<std::uint64_t>(carry);
}

std::size_t parse_digits(const InputValue& value, WideLimbs& wide) {
  const std::uint64_t base = value.hexadecimal ? 16 : 10;
  const std::size_t digits_per_step = value.hexadecimal ? 15 : 19;  // base^digits < 2^64
  std::size_t used = 0;
  for (std::size_t at = 0; at < value.length;) {
    const std::size_t end = std::min<std::size_t>(value.length, at + digits_per_step);
    std::uint64_t chunk = 0, factor = 1;
    for (; at < end; ++at) {
      chunk = chunk * base + digit_value(value.digits[at]);
      factor *= base;
    }
    multiply_add(wide, used, factor, chunk);
  }
  return used;
}

bool less(const FieldLimbs& a, const FieldLimbs& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

/// a - b. REQUIRES a >= b, or a + 2^256 >= b after a carry out of a.
FieldLimbs minus(const FieldLimbs& a, const FieldLimbs& b) {
  FieldLimbs difference;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const unsigned __int128 d = static_cast<unsigned __int128>(a[i]) - b[i] - borrow;
    difference[i] = static_cast<std::uint64_t>(d);
    borrow = static_cast<std::uint64_t>(d >> 64) & 1;
  }
  return difference;
}

/// Bit by bit: only values at or above the modulus come here, and they are rare.
FieldLimbs remainder(const WideLimbs& wide, std::size_t used, const FieldLimbs& modulus) {
  FieldLimbs rest{};
  for (std::size_t bit = used * 64; bit-- > 0;) {
    std::uint64_t carry = wide[bit / 64] >> (bit % 64) & 1;
    for (std::uint64_t& limb : rest) {
      const std::uint64_t out = limb >> 63;
      limb = limb << 1 | carry;
      carry = out;
    }
    if (carry != 0 || !less(rest, modulus)) rest = minus(rest, modulus);
  }
  return rest;
}

}  // namespace

Reduced reduce(const InputValue& value, const FieldLimbs& modulus) {
  Sensitive<WideLimbs> storage;
  WideLimbs& wide = storage.reveal();
  const std::size_t used = parse_digits(value, wide);
  Reduced result;
  std::copy_n(wide.begin(), result.value.size(), result.value.begin());
  if (used > result.value.size() || !less(result.value, modulus)) {
    result.value = remainder(wide, used, modulus);
    result.was_reduced = true;
  }
  if (value.negative && result.value != FieldLimbs{}) result.value = minus(modulus, result.value);
  return result;
}

}  // namespace penstock::synthesis
