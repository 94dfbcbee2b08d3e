// Starts a program with exactly the descriptors it is meant to have. Cost: posix_spawn shares the parent's
// memory until the exec, so a large parent costs nothing.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::synthesis {

struct PassedDescriptor {
  int ours = -1;  ///< -1: not passed
  int theirs = -1;
};

/// In a process group of its own, with default signals, an empty environment and /dev/null as 0, 1 and 2.
[[nodiscard]] Result<pid_t> spawn(const std::filesystem::path& program,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<PassedDescriptor>& descriptors);

}  // namespace penstock::synthesis
