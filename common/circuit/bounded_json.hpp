// Hostile JSON: size and nesting are bounded before the parser sees the text. Internal to this folder's .cpp
// files (it includes nlohmann/json.hpp). Errors: body_too_large, bad_format with the byte where the parser
// stopped.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace penstock::circuit {

struct JsonLimits {
  std::size_t max_bytes;
  std::size_t max_depth;
};

/// Foreign text as it may stand in an error: short, printable ASCII.
[[nodiscard]] std::string printable(std::string_view text);

/// `what` names the document in errors.
[[nodiscard]] Result<nlohmann::json> parse_json(std::string_view text, const JsonLimits& limits,
                                                const std::string& what);

}  // namespace penstock::circuit
