// The runner's end of the socket pair. A defect of the channel (the service is gone) ends the process: there
// is nobody left to tell. Threads: one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "services/synthesis/witness/runner/fail.hpp"
#include "services/synthesis/witness/runner_protocol.hpp"

namespace penstock::synthesis::runner {

struct Frame {
  protocol::FrameKind kind{};
  std::vector<std::byte> payload;
};

/// Blocks for the next frame. Leaves the process when the other end is closed.
[[nodiscard]] Frame read_frame();
void write_frame(protocol::FrameKind kind, std::span<const std::byte> payload);

}  // namespace penstock::synthesis::runner
