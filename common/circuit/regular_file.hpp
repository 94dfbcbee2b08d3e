// Opens a regular file for reading: never a pipe that blocks, a directory or a device. Internal to this
// folder.
#pragma once

#include <cstdint>
#include <filesystem>

#include "common/base/result.hpp"
#include "common/circuit/file_state.hpp"

namespace penstock::circuit {

/// An open descriptor and the state at opening. Ownership: closes on destruction; move-only.
class RegularFile {
 public:
  [[nodiscard]] static Result<RegularFile> open(const std::filesystem::path& path);
  RegularFile(RegularFile&& other) noexcept;
  RegularFile& operator=(RegularFile&&) = delete;
  ~RegularFile();
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return state_.size_bytes; }
  [[nodiscard]] const FileState& state() const { return state_; }

 private:
  RegularFile() = default;
  int descriptor_ = -1;
  FileState state_;
};

/// The operating system's sentence for errno.
[[nodiscard]] std::string system_error_text(int error_number);

}  // namespace penstock::circuit
