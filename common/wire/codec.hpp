// Message <-> bytes (Cap'n Proto). Hostile-safe: a traversal limit and a nesting limit; enums, ids and sizes
// are checked. Errors: bad_format, body_too_large, unsupported_version.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/messages.hpp"

namespace penstock::wire {

[[nodiscard]] std::vector<std::byte> encode(const Message& message);
[[nodiscard]] Result<Message> decode(std::span<const std::byte> bytes);

}  // namespace penstock::wire
