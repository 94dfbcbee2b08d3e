#include "services/synthesis/witness/program_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "services/synthesis/witness/runner/program_abi.h"

namespace penstock::synthesis {
namespace {

Error not_ours(const std::filesystem::path& path, const char* why) {
  return {ErrorCode::conflict, std::string("the cache of compiled programs cannot be trusted: ") + why,
          "remove it, or name a folder that only you can write (mode 0700)", path.string()};
}

}  // namespace

Result<ProgramCache> ProgramCache::open(const std::filesystem::path& folder, std::uint64_t max_bytes) {
  std::error_code error;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return Error{ErrorCode::file_unwritable,
                 std::string("cannot create the cache folder: ") + std::strerror(errno),
                 "name another folder", folder.string()};
  struct stat about {};
  if (::lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))
    return not_ours(folder, "it is no folder");
  if (about.st_uid != ::geteuid()) return not_ours(folder, "it belongs to somebody else");
  if ((about.st_mode & 077) != 0) return not_ours(folder, "others have access to it");
  return ProgramCache(std::filesystem::absolute(folder), max_bytes);
}

Result<std::optional<Descriptor>> ProgramCache::find(const std::string& key) const {
  const std::filesystem::path path = path_of(key);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.open() && errno == ENOENT) return std::optional<Descriptor>();
  struct stat about {};
  if (!file.open() || ::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode))
    return not_ours(path, "a compiled program is no readable file");
  if (about.st_uid != ::geteuid() || (about.st_mode & 022) != 0)
    return not_ours(path, "a compiled program is not ours alone");
  static_cast<void>(::futimens(file.number(), nullptr));  // least recently used goes first
  return std::optional<Descriptor>(std::move(file));
}

bool ProgramCache::contains(const std::string& key) const {
  return ::access(path_of(key).c_str(), R_OK) == 0;
}

void ProgramCache::remove(const std::string& key) const {
  ::unlink(path_of(key).c_str());
}

std::string cache_key(const std::string& content_hash) {
  return content_hash + "-" + std::to_string(PENSTOCK_PROGRAM_ABI);
}

}  // namespace penstock::synthesis
