#include "common/wire/owner_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace penstock::wire {
namespace {

constexpr int private_mode = S_IRUSR | S_IWUSR;

Error failed(std::string_view doing, const std::string& what, const std::filesystem::path& path) {
  return Error{.code = ErrorCode::file_unwritable,
               .what = "cannot " + std::string(doing) + " " + what + ": " + std::strerror(errno),
               .hint = "check that the folder exists and is writable",
               .file = path.string()};
}

std::string read_pid(int fd) {
  char text[32] = {};
  const ssize_t size = ::pread(fd, text, sizeof text - 1, 0);
  long pid = 0;
  const auto parsed = std::from_chars(text, text + std::max<ssize_t>(size, 0), pid);
  return parsed.ec == std::errc{} && pid > 0 ? "process " + std::to_string(pid) : "another process";
}

/// A holder removes the file before it lets go: what we have locked may not be what lies there now.
bool is_still_there(int fd, const std::filesystem::path& path) {
  struct stat ours {
  }, there{};
  return ::fstat(fd, &ours) == 0 && ::lstat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

Status write_pid(int fd, const std::string& what, const std::filesystem::path& path) {
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd, 0) == 0 && ::pwrite(fd, pid.data(), pid.size(), 0) == static_cast<ssize_t>(pid.size()))
    return {};
  return failed("write the lock of", what, path);
}

}  // namespace

Result<OwnerLock> OwnerLock::take(const std::filesystem::path& path, const std::string& what) {
  for (;;) {
    FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, private_mode));
    if (!file.is_open()) return failed("open the lock of", what, path);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return failed("lock", what, path);
      return Error{.code = ErrorCode::conflict,
                   .what = what + " is in use by " + read_pid(file.get()),
                   .hint = "stop that process, or choose another",
                   .file = path.string()};
    }
    if (!is_still_there(file.get(), path)) continue;
    PENSTOCK_TRY(write_pid(file.get(), what, path));
    return OwnerLock(path, std::move(file));
  }
}

OwnerLock::~OwnerLock() {
  if (file_.is_open() && is_still_there(file_.get(), path_)) ::unlink(path_.c_str());
}

}  // namespace penstock::wire
