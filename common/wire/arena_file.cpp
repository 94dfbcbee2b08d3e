#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "common/wire/arena.hpp"
#include "common/wire/file_handle.hpp"
#include "common/wire/owner_lock.hpp"

namespace penstock::wire {
namespace {

constexpr int private_mode = S_IRUSR | S_IWUSR;

Error failed(ErrorCode code, std::string_view doing, const std::filesystem::path& path,
             std::string hint = {}) {
  return Error{.code = code,
               .what = "cannot " + std::string(doing) + ": " + std::strerror(errno),
               .hint = std::move(hint),
               .file = path.string()};
}

/// REQUIRES: the lock is held, so a file at `path` belongs to no living owner.
Result<FileHandle> create_sized(const std::filesystem::path& path, std::uint64_t size_bytes) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    return failed(ErrorCode::file_unwritable, "remove the arena of a dead owner", path);
  FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, private_mode));
  if (!file.is_open()) return failed(ErrorCode::file_unwritable, "create the arena", path);
  // Allocated now: a full file system is an error here and not a SIGBUS in the middle of a proof.
  if (const int error = ::posix_fallocate(file.get(), 0, static_cast<off_t>(size_bytes)); error != 0) {
    ::unlink(path.c_str());
    errno = error;
    return failed(ErrorCode::out_of_memory, "reserve " + std::to_string(size_bytes) + " bytes for the arena",
                  path, "choose a smaller arena or make the file system larger (shm_size in a container)");
  }
  return file;
}

class OwnedArena final : public ArenaFile {
 public:
  OwnedArena(std::filesystem::path path, OwnerLock lock, FileHandle file, MemoryMap map)
      : path_(std::move(path)), lock_(std::move(lock)), file_(std::move(file)), map_(std::move(map)) {}
  OwnedArena(const OwnedArena&) = delete;
  OwnedArena& operator=(const OwnedArena&) = delete;
  // Under the lock, and only if it is still our file.
  ~OwnedArena() override {
    if (is_in_place()) ::unlink(path_.c_str());
  }
  [[nodiscard]] bool is_in_place() const override {
    struct stat ours {
    }, there{};
    return ::fstat(file_.get(), &ours) == 0 && ::lstat(path_.c_str(), &there) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
  }
  [[nodiscard]] std::span<std::byte> memory() override { return map_.bytes(); }
  [[nodiscard]] const std::filesystem::path& path() const override { return path_; }

 private:
  std::filesystem::path path_;
  OwnerLock lock_;
  FileHandle file_;
  MemoryMap map_;
};

}  // namespace

Result<std::unique_ptr<ArenaFile>> ArenaFile::create(const std::filesystem::path& path,
                                                     std::uint64_t size_bytes) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 46;
  if (size_bytes == 0 || size_bytes > largest)
    return Error{.code = ErrorCode::bad_request,
                 .what = "an arena of " + std::to_string(size_bytes) + " bytes is not possible"};
  const std::uint64_t size = (size_bytes + slab_unit_bytes - 1) / slab_unit_bytes * slab_unit_bytes;
  OwnerLock lock = PENSTOCK_TRY(OwnerLock::take(path.string() + ".lock", "the arena"));
  FileHandle file = PENSTOCK_TRY(create_sized(path, size));
  MemoryMap map(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file.get(), 0),
                size);
  if (!map.is_mapped()) {
    Error error = failed(ErrorCode::out_of_memory, "map the arena", path);
    ::unlink(path.c_str());
    return error;
  }
  return std::unique_ptr<ArenaFile>(
      std::make_unique<OwnedArena>(path, std::move(lock), std::move(file), std::move(map)));
}

}  // namespace penstock::wire
