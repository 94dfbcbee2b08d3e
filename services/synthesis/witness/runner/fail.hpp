// The two ways out of a runner. C++17, as engine.hpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "services/synthesis/witness/runner_protocol.hpp"

namespace penstock::synthesis::runner {

/// Sends the failure and leaves the process.
[[noreturn]] void fail(protocol::FailureKind kind, std::uint32_t detail, std::string_view text);
/// Leaves the process without running destructors or exit handlers (the program may have broken anything).
[[noreturn]] void leave(int status);

}  // namespace penstock::synthesis::runner
