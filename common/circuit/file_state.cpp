#include "common/circuit/file_state.hpp"

#include <linux/magic.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "common/circuit/content_hash.hpp"

namespace penstock::circuit {
namespace {

constexpr std::string_view stamp_domain = "penstock file 1";
/// The coarsest clock of the file systems below is 10 ms.
constexpr std::int64_t settled_after_s = 2;
constexpr std::uint64_t xfs = 0x58465342, zfs = 0x2fc12fc1;
constexpr std::uint64_t local_file_systems[] = {EXT4_SUPER_MAGIC, xfs,         BTRFS_SUPER_MAGIC,    zfs,
                                                F2FS_SUPER_MAGIC, TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC};

bool only_we_write(const struct stat& facts, std::uint32_t user) {
  return (facts.st_uid == user || facts.st_uid == 0) && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

FileState file_state(const struct stat& facts, std::uint64_t file_system, std::int64_t now_s,
                     std::uint32_t user) {
  const bool is_settled = facts.st_ctim.tv_sec <= now_s && now_s - facts.st_ctim.tv_sec > settled_after_s;
  const bool is_local = std::ranges::find(local_file_systems, file_system) != std::end(local_file_systems);
  return {.device = facts.st_dev,
          .inode = facts.st_ino,
          .size_bytes = static_cast<std::uint64_t>(facts.st_size),
          .modified_s = facts.st_mtim.tv_sec,
          .modified_ns = facts.st_mtim.tv_nsec,
          .changed_s = facts.st_ctim.tv_sec,
          .changed_ns = facts.st_ctim.tv_nsec,
          .tells_content = is_settled && is_local && only_we_write(facts, user)};
}

std::string file_stamp(const FileState& state) {
  if (!state.tells_content) return {};
  const std::array<std::uint64_t, 7> words = {state.device,
                                              state.inode,
                                              state.size_bytes,
                                              static_cast<std::uint64_t>(state.modified_s),
                                              static_cast<std::uint64_t>(state.modified_ns),
                                              static_cast<std::uint64_t>(state.changed_s),
                                              static_cast<std::uint64_t>(state.changed_ns)};
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(stamp_domain)),
                                              std::as_bytes(std::span(words))};
  return hex_text(plain_digest(parts));
}

}  // namespace penstock::circuit
