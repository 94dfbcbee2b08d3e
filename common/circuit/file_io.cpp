#include "common/circuit/file_io.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "common/base/ids.hpp"
#include "common/circuit/regular_file.hpp"

namespace penstock::circuit {
namespace {

Error unwritable(const std::string& path, std::string_view step, int error_number) {
  return Error{.code = ErrorCode::file_unwritable,
               .what = std::string(step) + ": " + system_error_text(error_number),
               .file = path};
}

Result<RegularFile> open_bounded(const std::filesystem::path& path, std::uint64_t max_bytes) {
  auto file = PENSTOCK_TRY(RegularFile::open(path));
  if (file.size_bytes() > max_bytes)
    return Error{.code = ErrorCode::body_too_large,
                 .what = "the file has " + std::to_string(file.size_bytes()) + " bytes, at most " +
                         std::to_string(max_bytes) + " are read",
                 .file = path.string()};
  return file;
}

/// A file that shrinks while it is read is file_truncated, not a crash.
Status read_all(const RegularFile& file, const std::filesystem::path& path, std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const auto got = ::read(file.descriptor(), out.data() + done, out.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Error{.code = ErrorCode::file_unreadable,
                   .what = "cannot read the file: " + system_error_text(errno),
                   .file = path.string()};
    if (got == 0)
      return Error{.code = ErrorCode::file_truncated,
                   .what = "the file shrank while it was read",
                   .file = path.string(),
                   .offset = done};
    done += static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace

Result<SensitiveVector<std::byte>> read_secret_file(const std::filesystem::path& path,
                                                    std::uint64_t max_bytes) {
  const auto file = PENSTOCK_TRY(open_bounded(path, max_bytes));
  SensitiveVector<std::byte> bytes(file.size_bytes());
  PENSTOCK_TRY(read_all(file, path, bytes.reveal()));
  return bytes;
}

Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
  const auto file = PENSTOCK_TRY(open_bounded(path, max_bytes));
  std::string text(file.size_bytes(), '\0');
  PENSTOCK_TRY(read_all(file, path, std::as_writable_bytes(std::span(text))));
  return text;
}

Result<NewFile> NewFile::create(const std::filesystem::path& path, unsigned mode) {
  NewFile file;
  file.path_ = path.string();
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    if (S_ISDIR(facts.st_mode)) return unwritable(file.path_, "the path is a directory", EISDIR);
    // A terminal, a pipe or /dev/null is written as it is: a rename would replace the device itself.
    file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file.descriptor_ < 0) return unwritable(file.path_, "cannot open the file", errno);
    return file;
  }
  file.temporary_ = file.path_ + "." + random_uuid() + ".part";
  file.descriptor_ =
      ::open(file.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  if (file.descriptor_ < 0) return unwritable(file.path_, "cannot create the file", errno);
  return file;
}

NewFile::NewFile(NewFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)) {}

NewFile& NewFile::operator=(NewFile&& other) noexcept {
  if (this != &other) {
    discard();
    descriptor_ = std::exchange(other.descriptor_, -1);
    path_ = std::move(other.path_);
    temporary_ = std::move(other.temporary_);
  }
  return *this;
}

NewFile::~NewFile() {
  discard();
}

void NewFile::discard() noexcept {
  if (descriptor_ < 0) return;
  ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status NewFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return unwritable(path_, "cannot write the file", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status NewFile::commit() {
  if (temporary_.empty()) {
    ::close(std::exchange(descriptor_, -1));
    return {};
  }
  if (::fsync(descriptor_) != 0) return unwritable(path_, "cannot flush the file", errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    return unwritable(path_, "cannot name the file", errno);
  ::close(std::exchange(descriptor_, -1));
  return {};
}

Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes, unsigned mode) {
  auto file = PENSTOCK_TRY(NewFile::create(path, mode));
  PENSTOCK_TRY(file.append(bytes));
  return file.commit();
}

Status write_text_file(const std::filesystem::path& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text)), 0644);
}

}  // namespace penstock::circuit
