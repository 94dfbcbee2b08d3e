#include "common/runtime/config_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace penstock::runtime {
namespace {

Error not_a(std::string_view text, std::string_view what, std::string_view hint) {
  return Error{.code = ErrorCode::bad_request,
               .what = "'" + std::string(text) + "' is not " + std::string(what),
               .hint = std::string(hint)};
}

struct Quantity {
  std::uint64_t count = 0;
  std::string_view unit;
};
std::optional<Quantity> split_quantity(std::string_view text) {
  Quantity out;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out.count);
  if (parsed.ec != std::errc{}) return std::nullopt;
  out.unit = text.substr(static_cast<std::size_t>(parsed.ptr - text.data()));
  while (out.unit.starts_with(' ')) out.unit.remove_prefix(1);
  return out;
}

template <class Units>
std::optional<std::uint64_t> scaled(const Quantity& quantity, const Units& units, std::uint64_t most) {
  for (const auto& [unit, factor] : units)
    if (quantity.unit == unit)
      return quantity.count > most / factor ? std::nullopt : std::optional(quantity.count * factor);
  return std::nullopt;
}

using Unit = std::pair<std::string_view, std::uint64_t>;
constexpr std::array<Unit, 11> size_units = {{{"TiB", std::uint64_t{1} << 40},
                                              {"GiB", std::uint64_t{1} << 30},
                                              {"MiB", std::uint64_t{1} << 20},
                                              {"KiB", 1024},
                                              {"TB", 1'000'000'000'000},
                                              {"GB", 1'000'000'000},
                                              {"MB", 1'000'000},
                                              {"KB", 1000},
                                              {"kB", 1000},
                                              {"B", 1},
                                              {"", 1}}};
constexpr std::array<Unit, 5> duration_units = {
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};

}  // namespace

Result<std::int64_t> parse_number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t out = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || out < least || out > most)
    return not_a(text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most), "");
  return out;
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto quantity = split_quantity(text);
  const auto bytes =
      quantity ? scaled(*quantity, size_units, std::numeric_limits<std::int64_t>::max()) : std::nullopt;
  if (!bytes) return not_a(text, "a size", "write 64MiB, 1GiB or a number of bytes");
  return *bytes;
}

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::milliseconds(0);
  constexpr std::uint64_t ten_years = std::uint64_t{10} * 366 * 86'400'000;
  const auto quantity = split_quantity(text);
  const auto time = quantity ? scaled(*quantity, duration_units, ten_years) : std::nullopt;
  if (!time) return not_a(text, "a duration", "write 500ms, 30s, 5m or 2h");
  return std::chrono::milliseconds(*time);
}

Result<bool> parse_flag(std::string_view text) {
  for (const std::string_view yes : {"true", "yes", "on", "1"})
    if (text == yes) return true;
  for (const std::string_view no : {"false", "no", "off", "0"})
    if (text == no) return false;
  return not_a(text, "true or false", "");
}

std::string size_text(std::uint64_t bytes) {
  for (const auto& [unit, factor] : size_units)
    if (factor % 1024 == 0 && bytes != 0 && bytes % factor == 0)
      return std::to_string(bytes / factor) + std::string(unit);
  return std::to_string(bytes);
}

std::string duration_text(std::chrono::milliseconds time) {
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
  for (const auto& [unit, factor] : duration_units)
    if (count != 0 && count % factor == 0) return std::to_string(count / factor) + std::string(unit);
  return "0";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  return cost[a.size()][b.size()];
}

std::optional<std::string> near_match(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 128;  // nobody mistypes more; keeps a hostile word from costing time
  if (word.size() > longest) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace penstock::runtime
