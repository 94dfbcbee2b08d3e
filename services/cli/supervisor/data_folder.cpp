#include "services/cli/supervisor/data_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

namespace penstock::cli {
namespace {

constexpr std::size_t longest_socket_path = 100;  // sun_path holds 108 bytes

Status make_private(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  if (!failed) return {};
  return Error{.code = ErrorCode::file_unwritable,
               .what = failed.message(),
               .hint = "choose another folder with --data",
               .file = folder.string()};
}

std::string first_line(int descriptor) {
  char text[32] = {};
  const ssize_t read = pread(descriptor, text, sizeof(text) - 1, 0);
  return read > 0 ? std::string(text, strcspn(text, "\n")) : std::string("unknown");
}

}  // namespace

Result<DataFolder> DataFolder::open(const std::filesystem::path& root) {
  DataFolder folder(std::filesystem::absolute(root).lexically_normal());
  for (const auto& part :
       {folder.root(), folder.queue(), folder.queue() / "blobs", folder.circuits(), folder.root() / "cache",
        folder.programs(), folder.keys(), folder.run(), folder.root() / "log"})
    PENSTOCK_TRY(make_private(part));
  PENSTOCK_TRY(folder.lock());
  return folder;
}

Status DataFolder::lock() {
  const auto path = run() / "up.lock";
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0)
    return Error{.code = ErrorCode::file_unwritable, .what = std::strerror(errno), .file = path.string()};
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0)
    return Error{.code = ErrorCode::conflict,
                 .what = "penstock up already runs on this folder (pid " + first_line(lock_) + ")",
                 .hint = "stop it, or choose another folder with --data",
                 .file = root_.string()};
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(lock_, 0) != 0 || pwrite(lock_, pid.data(), pid.size(), 0) < 0)
    return Error{.code = ErrorCode::file_unwritable, .what = std::strerror(errno), .file = path.string()};
  return {};
}

DataFolder::DataFolder(DataFolder&& other) noexcept
    : root_(std::move(other.root_)), lock_(std::exchange(other.lock_, -1)) {}

DataFolder::~DataFolder() {
  if (lock_ >= 0) close(lock_);
}

std::filesystem::path DataFolder::log(const std::string& name) const {
  return root_ / "log" / (name + ".log");
}

std::string DataFolder::local_address(const std::string& name) const {
  const std::string path = (run() / (name + ".ipc")).string();
  return path.size() <= longest_socket_path ? "ipc://" + path : "tcp://127.0.0.1:0";
}

std::filesystem::path DataFolder::arena(const std::string& name) const {
  const std::filesystem::path shared = "/dev/shm";
  if (access(shared.c_str(), W_OK) != 0) return run() / (name + ".arena");
  const auto place = static_cast<std::uint32_t>(std::hash<std::string>{}(root_.string()));
  return shared / fmt::format("penstock-{}-{:08x}-{}.arena", getuid(), place, name);
}

}  // namespace penstock::cli
