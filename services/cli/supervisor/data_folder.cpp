#include "services/cli/supervisor/data_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

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
  auto lock = wire::OwnerLock::take(run() / "up.lock", "this folder");
  if (lock.ok()) {
    lock_.emplace(std::move(lock).value());
    return {};
  }
  Error error = std::move(lock).error();
  if (error.code == ErrorCode::conflict) {
    error.what =
        "penstock up already runs on this folder: it" + error.what.substr(std::strlen("this folder"));
    error.hint = "stop it, or choose another folder with --data";
    error.file = root_.string();
  }
  return error;
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
