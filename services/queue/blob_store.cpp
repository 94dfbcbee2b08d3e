#include "services/queue/blob_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "common/base/sensitive.hpp"

namespace penstock::queue {

namespace {

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool ok() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

Error failure(ErrorCode code, const std::string& what, const std::filesystem::path& path) {
  return {.code = code,
          .what = what + ": " + std::generic_category().message(errno),
          .hint = "check the disk's free space and the data folder's permissions",
          .file = path.string()};
}

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// From here on one flush of the file system costs less than one a file.
constexpr std::size_t many = 5;

void overwrite(const std::filesystem::path& path) {
  const Descriptor file(path, O_WRONLY);
  struct stat info {};
  if (!file.ok() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  static constexpr std::array<std::byte, 65536> zeros{};
  for (auto left = static_cast<std::uint64_t>(info.st_size); left > 0;) {
    const auto step = std::min<std::uint64_t>(left, zeros.size());
    if (!write_all(file.get(), std::span(zeros).first(step))) return;
    left -= step;
  }
}

/// The files' contents, of each that can be; false with errno of the first that cannot.
bool flush(const std::filesystem::path& folder, std::span<const std::string> names) {
  if (names.size() >= many) {
    const Descriptor all(folder, O_RDONLY | O_DIRECTORY);
    return all.ok() && ::syncfs(all.get()) == 0;
  }
  int failed = 0;
  for (const auto& name : names) {
    const Descriptor file(folder / name, O_WRONLY);
    if ((!file.ok() || ::fsync(file.get()) != 0) && failed == 0) failed = errno;
  }
  errno = failed;
  return failed == 0;
}

}  // namespace

std::string BlobStore::name_of(const JobId& job, std::uint32_t index) {
  return job.text() + "-" + std::to_string(index);
}

Result<BlobStore> BlobStore::open(const std::filesystem::path& folder) {
  std::error_code failed;
  if (std::filesystem::create_directories(folder, failed))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  struct stat info {};
  if (failed || ::stat(folder.c_str(), &info) != 0)
    return failure(ErrorCode::file_unwritable, "the folder of inputs cannot be created", folder);
  if ((info.st_mode & 077) != 0)
    return Error{.code = ErrorCode::file_unwritable,
                 .what = "the folder of inputs is open to others",
                 .hint = "chmod 700 it: it holds private inputs",
                 .file = folder.string()};
  return BlobStore(folder);
}

Status BlobStore::write(const JobId& job, std::uint32_t index, std::span<const std::byte> input) const {
  const auto path = folder_ / name_of(job, index);
  const Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.ok() || !write_all(file.get(), input))
    return failure(ErrorCode::file_unwritable, "an input cannot be stored", folder_);
  return {};
}

Status BlobStore::sync(std::span<const std::string> names) const {
  const Descriptor folder(folder_, O_RDONLY | O_DIRECTORY);
  if (!folder.ok() || !flush(folder_, names) || ::fsync(folder.get()) != 0)
    return failure(ErrorCode::file_unwritable, "the folder of inputs cannot be flushed", folder_);
  return {};
}

Result<std::vector<std::byte>> BlobStore::read(const JobId& job, std::uint32_t index) const {
  const Descriptor file(folder_ / name_of(job, index), O_RDONLY);
  struct stat info {};
  if (!file.ok() || ::fstat(file.get(), &info) != 0)
    return failure(ErrorCode::file_unreadable, "an input cannot be read back", folder_);
  std::vector<std::byte> bytes(static_cast<std::size_t>(info.st_size));
  for (std::size_t position = 0; position < bytes.size();) {
    const ssize_t got = ::read(file.get(), bytes.data() + position, bytes.size() - position);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      wipe(bytes);
      return failure(ErrorCode::file_unreadable, "an input cannot be read back", folder_);
    }
    position += static_cast<std::size_t>(got);
  }
  return bytes;
}

void BlobStore::remove(std::span<const std::string> names) const {
  for (const auto& name : names) overwrite(folder_ / name);
  // An absent file, a disk that refuses: the names go all the same.
  static_cast<void>(flush(folder_, names));
  for (const auto& name : names) ::unlink((folder_ / name).c_str());
}

std::size_t BlobStore::remove_all_but(const std::set<std::string>& keep) const {
  std::vector<std::string> orphans;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored))
    if (!keep.contains(entry.path().filename().string())) orphans.push_back(entry.path().filename().string());
  remove(orphans);
  return orphans.size();
}

}  // namespace penstock::queue
