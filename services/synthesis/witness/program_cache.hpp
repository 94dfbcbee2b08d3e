// The folder of compiled witness programs. What lies in it is loaded as code, so it must be ours alone: a
// folder or an object that belongs to somebody else, or that others can write, is refused. Shape:
// FOLDER/<sha256>-<abi>.so; FOLDER/<key>.work while it is made; FOLDER/lock-XX. Errors: conflict (not ours
// alone), file_unwritable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "services/synthesis/witness/shared_memory.hpp"

namespace penstock::synthesis {

class ProgramCache {
 public:
  /// Creates the folder (0700) when it is missing.
  [[nodiscard]] static Result<ProgramCache> open(const std::filesystem::path& folder,
                                                 std::uint64_t max_bytes);

  /// The compiled object, open for reading and marked as used; nothing when it is not there.
  [[nodiscard]] Result<std::optional<Descriptor>> find(const std::string& key) const;
  [[nodiscard]] bool contains(const std::string& key) const;
  void remove(const std::string& key) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  ProgramCache(std::filesystem::path folder, std::uint64_t max_bytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}
  [[nodiscard]] std::filesystem::path path_of(const std::string& key) const {
    return folder_ / (key + ".so");
  }
  std::filesystem::path folder_;
  std::uint64_t max_bytes_;
};

/// The name of a program's object: its content and what the object is built to.
[[nodiscard]] std::string cache_key(const std::string& content_hash);

}  // namespace penstock::synthesis
