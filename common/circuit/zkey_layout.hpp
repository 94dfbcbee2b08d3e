// The numbers of the .zkey format (formats.md), shared by its reader and its writer. Internal to this folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace penstock::circuit::zkey {

enum SectionType : std::uint32_t {
  protocol = 1,
  groth_header = 2,
  ic = 3,
  coefficients = 4,
  a = 5,
  b1 = 6,
  b2 = 7,
  c = 8,
  h = 9,
  contributions = 10,
};
inline constexpr std::uint32_t last_proving_section = h;  ///< 1..9 prove; 10 only records who contributed

inline constexpr std::uint32_t protocol_plonk = 2;
inline constexpr std::uint32_t protocol_groth16 = 1;
inline constexpr std::uint32_t protocol_fflonk = 10;

/// Section 10: circuit hash (64 bytes), number of contributions u32, the contributions. A development key
/// carries this text, padded with zeros, in place of the circuit hash: later contributions keep it, and they
/// must.
inline constexpr std::size_t circuit_hash_bytes = 64;
inline constexpr std::string_view insecure_dev_mark = "penstock insecure-dev key: its secrets are known";
static_assert(insecure_dev_mark.size() < circuit_hash_bytes);

}  // namespace penstock::circuit::zkey
