// What a process that holds secrets owes them, and what it is called. Threads: forbid_core_dumps() first in
// main, the rest from any. Errors: bad_request.
#pragma once

#include <filesystem>
#include <string>

#include "common/base/result.hpp"

namespace penstock::runtime {

/// No core dump of this process or its children, no debugger of another process of the same user: witnesses,
/// inputs and API keys stay in memory.
void forbid_core_dumps();

/// The folder that `file` lies in keeps its files in memory (tmpfs, hugetlbfs): what is written there never
/// reaches a disk. Errors: bad_request.
[[nodiscard]] Status check_in_memory(const std::filesystem::path& file);

/// The host's name (in a container: the container's) as a worker's name: is_safe_name() holds.
[[nodiscard]] std::string host_name();

}  // namespace penstock::runtime
