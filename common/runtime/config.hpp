// Configuration: TOML file < PENSTOCK_SECTION_KEY environment < flags. One struct per service, read once in
// main. Secrets also as *_FILE. An unknown key is an error that names the near match. getenv lives only here.
// Shape: one file may hold the sections of all services; each reads its own and those it shares.
// Ownership: the targets outlive the reader. Threads: one, in main. Errors: bad_request, file_unreadable.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/result.hpp"

namespace penstock::runtime {

/// Declares the keys of a service's sections and fills its struct; the targets hold the defaults beforehand.
/// A key is "section.key", e.g. "gpu.arena_bytes"; its environment variable PENSTOCK_GPU_ARENA_BYTES; its
/// flag
/// --arena-bytes in the section of the first key declared, else with the section: "log.level" is --log-level.
/// Sizes accept 64MiB, 1GB or bytes; durations 500ms, 30s, 5m, 2h; flags also --no-NAME.
class ConfigReader {
 public:
  ConfigReader();
  ~ConfigReader();
  ConfigReader(const ConfigReader&) = delete;
  ConfigReader& operator=(const ConfigReader&) = delete;
  void text(std::string key, std::string& target, std::string help);
  void secret(std::string key, std::string& target,
              std::string help);  ///< also key_file / *_FILE; never printed
  void number(std::string key, std::int64_t& target, std::string help, std::int64_t least, std::int64_t most);
  void size(std::string key, std::uint64_t& target, std::string help);
  void flag(std::string key, bool& target, std::string help);
  void duration(std::string key, std::chrono::milliseconds& target, std::string help);

  /// Handles --config FILE, --help, --version, every key as a flag; `argv` without the verb. Returns false
  /// when the process should exit 0 (help was printed). Errors: bad_request with the near match.
  [[nodiscard]] Result<bool> read(const std::string& program, const std::string& description, int argc,
                                  char** argv);
  /// All keys with their effective values and sources (file, environment, flag, default); secrets masked.
  [[nodiscard]] std::string describe() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::runtime
