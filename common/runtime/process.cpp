#include "common/runtime/process.hpp"

#include <linux/magic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "common/base/ids.hpp"

namespace penstock::runtime {
namespace {

constexpr std::size_t longest_name = 64;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

}  // namespace

void forbid_core_dumps() {
  // The limit is what a plain core file asks; a kernel that pipes cores to a program asks whether it may.
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

Status check_in_memory(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  struct statfs found {};
  if (statfs(folder.c_str(), &found) != 0)
    return Error{.code = ErrorCode::bad_request,
                 .what = "the folder cannot be used: " + std::generic_category().message(errno),
                 .file = folder.string()};
  const auto type = static_cast<unsigned long>(found.f_type);
  if (type == TMPFS_MAGIC || type == RAMFS_MAGIC || type == HUGETLBFS_MAGIC) return {};
  return Error{.code = ErrorCode::bad_request,
               .what = "this folder is on a disk, and witnesses may not reach one",
               .hint = "use a tmpfs, such as /dev/shm",
               .file = folder.string()};
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "host";
  std::string text(name.data());
  text.resize(std::min(text.size(), longest_name));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !is_plain(c); }, '-');
  return is_safe_name(text) ? text : "host";
}

}  // namespace penstock::runtime
