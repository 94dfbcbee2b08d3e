// Plain integers of 64-bit limbs (little endian) as decimal and hexadecimal text, and back.
// Errors: reading gives nullopt for anything but digits, and for what does not fit the limbs.
// Cost: writing decimal divides by 10^19 once a limb and chunk; texts above max_number_chars are refused
// unread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::circuit {

/// 384 bits have 116 decimal digits; the rest is room for leading zeros.
inline constexpr std::size_t max_number_chars = 512;

namespace detail {

using Wide = unsigned __int128;
inline constexpr std::uint64_t decimal_chunk = 10'000'000'000'000'000'000U;  // 10^19, the largest in 64 bits
inline constexpr std::size_t decimal_chunk_digits = 19;

/// limbs = limbs / divisor; the remainder comes back.
template <std::size_t N>
std::uint64_t divide_in_place(std::array<std::uint64_t, N>& limbs, std::uint64_t divisor) {
  std::uint64_t remainder = 0;
  for (std::size_t i = N; i-- > 0;) {
    const Wide part = (Wide{remainder} << 64) | limbs[i];
    limbs[i] = static_cast<std::uint64_t>(part / divisor);
    remainder = static_cast<std::uint64_t>(part % divisor);
  }
  return remainder;
}

/// limbs = limbs * factor + addend; false when it does not fit.
template <std::size_t N>
bool multiply_add(std::array<std::uint64_t, N>& limbs, std::uint64_t factor, std::uint64_t addend) {
  std::uint64_t carry = addend;
  for (auto& limb : limbs) {
    const Wide part = Wide{limb} * factor + carry;
    limb = static_cast<std::uint64_t>(part);
    carry = static_cast<std::uint64_t>(part >> 64);
  }
  return carry == 0;
}

inline int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

}  // namespace detail

template <std::size_t N>
[[nodiscard]] std::string decimal_text(std::array<std::uint64_t, N> limbs) {
  std::string reversed;
  const auto is_zero = [&] { return std::ranges::all_of(limbs, [](auto limb) { return limb == 0; }); };
  do {
    auto chunk = detail::divide_in_place(limbs, detail::decimal_chunk);
    const bool last = is_zero();
    for (std::size_t digit = 0; last ? chunk != 0 : digit < detail::decimal_chunk_digits; ++digit) {
      reversed.push_back(static_cast<char>('0' + chunk % 10));
      chunk /= 10;
    }
  } while (!is_zero());
  if (reversed.empty()) return "0";
  return {reversed.rbegin(), reversed.rend()};
}

/// Lower-case hex, at least `min_digits` digits, without 0x.
template <std::size_t N>
[[nodiscard]] std::string hex_text(const std::array<std::uint64_t, N>& limbs, std::size_t min_digits) {
  std::string digits;
  for (std::size_t i = N * 16; i-- > 0;) {
    const auto nibble = (limbs[i / 16] >> (i % 16 * 4)) & 0xF;
    if (digits.empty() && nibble == 0 && i >= min_digits) continue;
    digits.push_back("0123456789abcdef"[nibble]);
  }
  if (digits.size() < min_digits) digits.insert(0, min_digits - digits.size(), '0');
  return digits;
}

/// Decimal, or hexadecimal after 0x.
template <std::size_t N>
[[nodiscard]] std::optional<std::array<std::uint64_t, N>> limbs_from_text(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  if (text.empty() || text.size() > max_number_chars) return std::nullopt;
  std::array<std::uint64_t, N> limbs{};
  for (const char c : text) {
    const int digit = detail::digit_value(c);
    if (digit >= base) return std::nullopt;
    if (!detail::multiply_add(limbs, static_cast<std::uint64_t>(base), static_cast<std::uint64_t>(digit)))
      return std::nullopt;
  }
  return limbs;
}

}  // namespace penstock::circuit
