// Whole files, in and out. What somebody else could truncate while it is mapped is read by copying; what must
// never be seen half-written is written beside its place and renamed. Errors: file_unreadable (missing, a
// directory, a pipe, no permission), body_too_large, file_unwritable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/base/sensitive.hpp"

namespace penstock::circuit {

/// Secret until shown otherwise: the copy is wiped when it dies. Regular files only.
[[nodiscard]] Result<SensitiveVector<std::byte>> read_secret_file(const std::filesystem::path& path,
                                                                  std::uint64_t max_bytes);
/// Regular files only.
[[nodiscard]] Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t max_bytes);

/// A new file that takes its name only in commit(); removed on destruction before that. A path that is a
/// device or a pipe (/dev/stdout) is written directly. Ownership: move-only. Threads: one.
class NewFile {
 public:
  /// `mode` as in open(2): 0600 for secrets, 0644 otherwise (the umask applies).
  [[nodiscard]] static Result<NewFile> create(const std::filesystem::path& path, unsigned mode);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&& other) noexcept;
  ~NewFile();
  [[nodiscard]] Status append(std::span<const std::byte> bytes);
  /// Flushes to the disk, then renames to the final path.
  [[nodiscard]] Status commit();

 private:
  NewFile() = default;
  void discard() noexcept;
  int descriptor_ = -1;
  std::string path_;
  std::string temporary_;
};

/// NewFile in one call.
[[nodiscard]] Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes,
                                unsigned mode);
[[nodiscard]] Status write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace penstock::circuit
