// input.json, read strictly (formats.md): what circom's own calculator loses silently is refused by name.
// Shape: {"signal": value}, value = decimal or 0x string, integer within ±(2^53-1), arrays of values, nested
// at will; an object is a bus and names its fields "bus.field" (arrays of objects "bus[0].field"). Ownership:
// InputSignals view the text, which the caller keeps alive. Threads: any. Errors: bad_format (not JSON, with
// the offset; too deep), signal_value (names signal and index, never the value),
//   signal_surplus (a signal given twice).
// Security: no copy of a value is made before it is a field element.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::synthesis {

inline constexpr std::size_t max_input_depth = 32;
inline constexpr std::size_t max_input_values = std::size_t{1} << 26;
inline constexpr std::size_t max_value_digits = 1024;

/// Field elements as circom takes them: plain, 256 bits, little-endian limbs.
using FieldLimbs = std::array<std::uint64_t, 4>;

/// A value as written: digits without sign and prefix, checked to be digits of its base.
struct InputValue {
  const char* digits = nullptr;
  std::uint16_t length = 0;
  bool negative = false;
  bool hexadecimal = false;
};

struct InputSignal {
  std::string name;
  std::vector<InputValue> values;  ///< arrays flattened, row by row
};

[[nodiscard]] Result<std::vector<InputSignal>> parse_input_json(std::string_view text);

struct Reduced {
  FieldLimbs value{};
  bool was_reduced = false;  ///< the magnitude was not below the modulus
};
/// value mod modulus; a negative n becomes modulus - n. REQUIRES a modulus above 2^64.
[[nodiscard]] Reduced reduce(const InputValue& value, const FieldLimbs& modulus);

}  // namespace penstock::synthesis
