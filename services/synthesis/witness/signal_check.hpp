// Compares the signals of input.json with those of the program. Errors: signal_missing, signal_surplus; they
// name signals and counts, never values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "services/synthesis/witness/input_json.hpp"

namespace penstock::circuit {
class SymbolTable;
}

namespace penstock::synthesis {

/// `sizes[i]`: how many values the program wants for signals[i]; negative or 0: it knows no such signal.
[[nodiscard]] Status check_given(const std::vector<InputSignal>& signals,
                                 std::span<const std::int32_t> sizes);

[[nodiscard]] std::uint64_t count_values(const std::vector<InputSignal>& signals);

/// Names of the main component without "main." and indices, each once, in the table's order: candidates for
/// the names of missing inputs, to be put to the program.
[[nodiscard]] std::vector<std::string> candidate_names(const circuit::SymbolTable& symbols);

/// A name for the user's eyes: what is not printable ASCII is replaced, what is long is cut.
[[nodiscard]] std::string shown_name(std::string_view name);

/// signal_missing; `missing` may be empty when no names are known.
[[nodiscard]] Error missing_values(const std::vector<InputSignal>& given, std::uint64_t wanted,
                                   const std::vector<std::string>& missing);

}  // namespace penstock::synthesis
