// What people write as values, and what they meant when they mistyped a key. Pure functions. Errors:
// bad_request.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::runtime {

[[nodiscard]] Result<std::int64_t> parse_number(std::string_view text, std::int64_t least, std::int64_t most);
/// Bytes, or with KiB MiB GiB TiB (1024), kB KB MB GB TB (1000), B.
[[nodiscard]] Result<std::uint64_t> parse_size(std::string_view text);
/// A whole number and ms, s, m, h or d. A bare 0 is no time.
[[nodiscard]] Result<std::chrono::milliseconds> parse_duration(std::string_view text);
/// true/false, yes/no, on/off, 1/0.
[[nodiscard]] Result<bool> parse_flag(std::string_view text);

/// In the largest unit that divides it, so that what is printed can be read again.
[[nodiscard]] std::string size_text(std::uint64_t bytes);
[[nodiscard]] std::string duration_text(std::chrono::milliseconds time);

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);
/// The candidate nearest to `word`, when it is near enough to be what was meant.
[[nodiscard]] std::optional<std::string> near_match(std::string_view word,
                                                    const std::vector<std::string>& candidates);

}  // namespace penstock::runtime
