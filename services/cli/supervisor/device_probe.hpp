// The machine's devices, asked for in a child process: a driver that starts threads would stay in the
// supervisor otherwise, which must have one thread only (SignalDescriptor).
// REQUIRES: the calling process has one thread. Errors: internal when no process can be made.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::cli {

/// What `--device auto` means on this machine: every CUDA device, or cpu.
[[nodiscard]] Result<std::vector<std::string>> probe_devices();

}  // namespace penstock::cli
