// Message <-> bytes (Cap'n Proto). Hostile-safe: a traversal limit and a nesting limit; enums, ids and sizes
// are checked before anything of their size is allocated. Threads: any. Errors: bad_format (not a message, a
// name that is none, a list too long), body_too_large,
//   unsupported_version (an enumerator or a message this version does not know).
// Cost: one copy each way; the builder's own memory is wiped, the returned bytes are the caller's to wipe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/messages.hpp"

namespace penstock::wire {

/// No message is larger: an input of 64 MiB and its envelope fit. The loop's sockets refuse larger frames.
inline constexpr std::size_t max_message_bytes = std::size_t{96} << 20;

[[nodiscard]] std::vector<std::byte> encode(const Message& message);
[[nodiscard]] Result<Message> decode(std::span<const std::byte> bytes);

}  // namespace penstock::wire
