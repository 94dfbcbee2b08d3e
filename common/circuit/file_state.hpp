// What the system says of an open file, and the stamp that stands for its content: equal stamps are equal
// contents, without reading any.
// A state tells something when (1) the last change is older than the clock's grain: a later change has a
// later change time, which nobody but root chooses; (2) only we or root may write the file, for who has it
// mapped can store into a page that is already dirty without moving that time; (3) the file system is a local
// one of those below, whose times are the kernel's own.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace penstock::circuit {

struct FileState {
  std::uint64_t device = 0, inode = 0, size_bytes = 0;
  std::int64_t modified_s = 0, modified_ns = 0, changed_s = 0, changed_ns = 0;
  bool tells_content = false;
};

/// `file_system`: statfs(2)'s f_type; `now_s`: seconds since 1970, taken before `facts`; `user`: ours.
[[nodiscard]] FileState file_state(const struct stat& facts, std::uint64_t file_system, std::int64_t now_s,
                                   std::uint32_t user);

/// 64 hex digits; empty for a state that does not tell the content.
[[nodiscard]] std::string file_stamp(const FileState& state);

}  // namespace penstock::circuit
