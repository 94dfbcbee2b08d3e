// A read-only memory-mapped file. Ownership: move-only; unmaps on destruction. Threads: const use from any.
// Errors: file_unreadable (missing, a directory, no permission), with the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "common/base/result.hpp"

namespace penstock::circuit {

/// What the system says of a file: equal states of one file at two times mean unchanged content, once the
/// last change is older than the clock's grain (file_state_settle_ns).
struct FileState {
  std::uint64_t device = 0, inode = 0, size_bytes = 0;
  std::int64_t modified_ns = 0, changed_ns = 0;  ///< since 1970; nobody but root can choose the second
};
inline constexpr std::int64_t file_state_settle_ns = 2'000'000'000;

class MappedFile {
 public:
  [[nodiscard]] static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// The pages that lie wholly inside `part` leave the process until they are read again.
  void release(std::span<const std::byte> part) const;
  /// As they were when the file was opened.
  [[nodiscard]] const FileState& facts() const { return facts_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  FileState facts_;
  std::string path_;
};

}  // namespace penstock::circuit
