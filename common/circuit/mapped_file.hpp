// A read-only memory-mapped file. Ownership: move-only; unmaps on destruction. Threads: const use from any.
// Errors: file_unreadable (missing, a directory, no permission), with the path.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "common/base/result.hpp"
#include "common/circuit/file_state.hpp"

namespace penstock::circuit {

class MappedFile {
 public:
  [[nodiscard]] static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// The pages that lie wholly inside `part` leave the process until they are read again.
  void release(std::span<const std::byte> part) const;
  /// As it was when the file was opened.
  [[nodiscard]] const FileState& state() const { return state_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  FileState state_;
  std::string path_;
};

}  // namespace penstock::circuit
