#include "common/circuit/bounded_json.hpp"

#include <algorithm>
#include <utility>

namespace penstock::circuit {
namespace {

/// The first byte where brackets nest deeper than `limit`, or npos. Brackets inside strings do not count.
std::size_t first_too_deep(std::string_view text, std::size_t limit) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > limit) return i;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t most = 64;
  std::string shown(text.substr(0, most));
  std::ranges::replace_if(
      shown, [](unsigned char c) { return c < 0x20 || c > 0x7E; }, '?');
  return text.size() > most ? shown + "..." : shown;
}

Result<nlohmann::json> parse_json(std::string_view text, const JsonLimits& limits, const std::string& what) {
  if (text.size() > limits.max_bytes)
    return Error{.code = ErrorCode::body_too_large,
                 .what = what + " has " + std::to_string(text.size()) + " bytes, at most " +
                         std::to_string(limits.max_bytes) + " are read"};
  if (const auto place = first_too_deep(text, limits.max_depth); place != std::string_view::npos)
    return Error{.code = ErrorCode::bad_format, .what = what + " nests too deeply", .offset = place};
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return Error{.code = ErrorCode::bad_format, .what = what + " is not JSON", .offset = error.byte};
  } catch (const nlohmann::json::exception&) {  // a number beyond every double, for one
    return Error{.code = ErrorCode::bad_format,
                 .what = what + " holds a number that JSON readers cannot hold"};
  }
}

}  // namespace penstock::circuit
