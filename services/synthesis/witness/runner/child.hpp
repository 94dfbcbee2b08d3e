// Runs a tool (wasm2c, the compiler) and waits. The limits and filters of this process hold for it too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace penstock::synthesis::runner {

struct ToolOutcome {
  bool succeeded = false;
  std::string text;  ///< the beginning of what it said, or how it ended
};

/// Runs `command` (its first element is an absolute path) in `folder` with a bare environment.
[[nodiscard]] ToolOutcome run_child(const std::filesystem::path& folder,
                                    const std::vector<std::string>& command);

}  // namespace penstock::synthesis::runner
