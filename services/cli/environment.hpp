// What the command line takes from the process's environment, read once in main: folders, the cluster's
// address, the API key. getenv lives only in environment.cpp.
// Errors: file_unreadable when PENSTOCK_API_KEY_FILE cannot be read.
#pragma once

#include <filesystem>
#include <string>

#include "common/base/result.hpp"

namespace penstock::cli {

struct Environment {
  std::filesystem::path cache_folder;    ///< $XDG_CACHE_HOME/penstock or ~/.cache/penstock
  std::filesystem::path data_folder;     ///< $XDG_DATA_HOME/penstock or ~/.local/share/penstock
  std::filesystem::path program_folder;  ///< where this binary lies; its sibling services are found there
  std::string url = "http://127.0.0.1:7780";  ///< PENSTOCK_URL
  std::string api_key;                        ///< PENSTOCK_API_KEY or the file named by PENSTOCK_API_KEY_FILE
};

[[nodiscard]] Result<Environment> read_environment();

/// The folder in which checked keys are remembered.
[[nodiscard]] std::filesystem::path key_check_folder(const Environment& environment);

}  // namespace penstock::cli
