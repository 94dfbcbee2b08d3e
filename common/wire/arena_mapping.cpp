#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "common/wire/arena.hpp"
#include "common/wire/file_handle.hpp"

namespace penstock::wire {
namespace {

Error not_usable(ErrorCode code, const std::filesystem::path& path, std::string_view why) {
  return Error{.code = code,
               .what = "the arena cannot be used: " + std::string(why),
               .hint = "the gpu service and this worker must see the same file as the same user",
               .file = path.string()};
}

struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const Identity&) const = default;
};

struct Mapped {
  Identity identity;
  MemoryMap map;
};

Result<Mapped> map_file(const std::filesystem::path& path) {
  const FileHandle file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open())
    return not_usable(errno == ENOENT ? ErrorCode::not_found : ErrorCode::file_unreadable, path,
                      std::strerror(errno));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0)
    return not_usable(ErrorCode::file_unreadable, path, std::strerror(errno));
  if (!S_ISREG(info.st_mode) || info.st_size <= 0)
    return not_usable(ErrorCode::bad_format, path, "it is no arena");
  const auto size = static_cast<std::size_t>(info.st_size);
  MemoryMap map(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0), size);
  if (!map.is_mapped()) return not_usable(ErrorCode::out_of_memory, path, std::strerror(errno));
  return Mapped{{info.st_dev, info.st_ino}, std::move(map)};
}

/// Puts private zero pages in the file's place: writers of old spans go on unharmed, the file's memory is
/// given back.
void detach(const MemoryMap& map) {
  const auto bytes = map.bytes();
  static_cast<void>(::mmap(bytes.data(), bytes.size(), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0));
}

class WorkerMapping final : public ArenaMapping {
 public:
  WorkerMapping(std::filesystem::path path, Mapped mapped)
      : path_(std::move(path)), current_(std::move(mapped)) {}

  [[nodiscard]] Result<std::span<std::byte>> range(std::uint64_t offset, std::uint64_t size_bytes) override {
    const std::scoped_lock lock(mutex_);
    PENSTOCK_TRY(follow_the_file());
    const auto bytes = current_.map.bytes();
    if (offset > bytes.size() || size_bytes > bytes.size() - offset)
      return Error{.code = ErrorCode::index_out_of_range,
                   .what = "a slab of " + std::to_string(size_bytes) + " bytes leaves the arena of " +
                           std::to_string(bytes.size()),
                   .file = path_.string(),
                   .offset = offset};
    return bytes.subspan(offset, size_bytes);
  }

 private:
  Status follow_the_file() {
    struct stat there {};
    if (::lstat(path_.c_str(), &there) != 0)
      return not_usable(errno == ENOENT ? ErrorCode::not_found : ErrorCode::file_unreadable, path_,
                        std::strerror(errno));
    if (Identity{there.st_dev, there.st_ino} == current_.identity) return {};
    Mapped next = PENSTOCK_TRY(map_file(path_));
    detach(current_.map);
    retired_.push_back(std::move(current_.map));
    current_ = std::move(next);
    return {};
  }

  const std::filesystem::path path_;
  std::mutex mutex_;
  Mapped current_;
  std::vector<MemoryMap> retired_;
};

}  // namespace

Result<std::unique_ptr<ArenaMapping>> ArenaMapping::open(const std::filesystem::path& path) {
  Mapped mapped = PENSTOCK_TRY(map_file(path));
  return std::unique_ptr<ArenaMapping>(std::make_unique<WorkerMapping>(path, std::move(mapped)));
}

}  // namespace penstock::wire
