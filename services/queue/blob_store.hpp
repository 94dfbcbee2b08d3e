// The inputs of unfinished partitions, one file each: secrets, 0600 in a folder 0700, wiped before removal.
// Shape: FOLDER/<job>-<index>. Threads: any; two calls for the same partition do not overlap.
// Errors: file_unwritable, file_unreadable (never with content).
// Cost: write() flushes nothing; sync() and remove() flush each of a few files for itself and many together,
// by one flush of the file system: a thousand files cost 30 ms on a disk where each flush takes 4.
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

  /// Durable after sync() of its name.
  [[nodiscard]] Status write(const JobId& job, std::uint32_t index, std::span<const std::byte> input) const;
  [[nodiscard]] Status sync(std::span<const std::string> names) const;
  /// The caller wipes it.
  [[nodiscard]] Result<std::vector<std::byte>> read(const JobId& job, std::uint32_t index) const;
  /// Wipes and removes, the zeros on the disk before the names go; absent is fine.
  void remove(std::span<const std::string> names) const;
  /// Wipes and removes what a crash has left: every file whose name is not in `keep`. How many.
  std::size_t remove_all_but(const std::set<std::string>& keep) const;
  [[nodiscard]] static std::string name_of(const JobId& job, std::uint32_t index);

 private:
  explicit BlobStore(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

}  // namespace penstock::queue
