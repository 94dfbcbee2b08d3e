// A file that at most one living process holds: held by the kernel's word even when the process is killed,
// names the holder's pid, gone when the holder lets go. Ownership: move-only, held until destruction.
// Errors: conflict (names the pid that holds it), file_unwritable.
#pragma once

#include <filesystem>
#include <string>

#include "common/base/result.hpp"
#include "common/wire/file_handle.hpp"

namespace penstock::wire {

class OwnerLock {
 public:
  /// `what` is locked: "the arena", for the error's sentence.
  [[nodiscard]] static Result<OwnerLock> take(const std::filesystem::path& path, const std::string& what);
  OwnerLock(OwnerLock&&) = default;
  OwnerLock& operator=(OwnerLock&&) = delete;
  ~OwnerLock();

 private:
  OwnerLock(std::filesystem::path path, FileHandle file) : path_(std::move(path)), file_(std::move(file)) {}
  std::filesystem::path path_;
  FileHandle file_;
};

}  // namespace penstock::wire
