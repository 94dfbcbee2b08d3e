// The inputs of unfinished partitions, one file each: secrets, 0600 in a folder 0700, wiped before removal.
// Shape: FOLDER/<job>-<index>. Threads: any; two calls for the same partition do not overlap.
// Errors: file_unwritable, file_unreadable (never with content).
// Cost: write() is one fsync, sync() one more for the folder; remove() overwrites, flushes and unlinks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/result.hpp"

namespace penstock::queue {

class BlobStore {
 public:
  /// Creates the folder. Errors: file_unwritable, also when others may read it.
  [[nodiscard]] static Result<BlobStore> open(const std::filesystem::path& folder);

  /// Durable after the next sync().
  [[nodiscard]] Status write(const JobId& job, std::uint32_t index, std::span<const std::byte> input) const;
  [[nodiscard]] Status sync() const;
  /// The caller wipes it.
  [[nodiscard]] Result<std::vector<std::byte>> read(const JobId& job, std::uint32_t index) const;
  /// Wipes and removes; absent is fine.
  void remove(const JobId& job, std::uint32_t index) const;
  /// Wipes and removes what a crash has left: every file whose name is not in `keep`. How many.
  std::size_t remove_all_but(const std::set<std::string>& keep) const;
  [[nodiscard]] static std::string name_of(const JobId& job, std::uint32_t index);

 private:
  explicit BlobStore(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

}  // namespace penstock::queue
