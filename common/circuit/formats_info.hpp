// What a file of any known binary format holds: `penstock info`.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::circuit {

/// Label and value lines in a fixed order; the labels are stable JSON keys ("format", "curve", "constraints",
/// ...).
using FileFacts = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Result<FileFacts> describe_file(const std::filesystem::path& path);

}  // namespace penstock::circuit
