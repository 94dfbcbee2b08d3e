// The arenas of the GPU services on this host, mapped once each. Threads: any.
// Errors: not_found, file_unreadable (the arena is out of reach), index_out_of_range.
// A GPU service whose arena was out of reach once is remembered as such: a container beside us, say.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "common/wire/arena.hpp"

namespace penstock::staging {

class Arenas {
 public:
  /// The slab's memory. It stays writable while this object lives, even when its GPU service restarts
  /// meanwhile (the bytes then reach nobody).
  [[nodiscard]] Result<std::span<std::byte>> slab(const std::string& path, std::uint64_t offset,
                                                  std::uint64_t size_bytes) {
    const std::scoped_lock lock(mutex_);
    auto& mapping = mappings_[path];
    if (!mapping) mapping = PENSTOCK_TRY(wire::ArenaMapping::open(path));
    return mapping->range(offset, size_bytes);
  }

  void remember_out_of_reach(const Incarnation& gpu) {
    const std::scoped_lock lock(mutex_);
    if (out_of_reach_.size() >= most_remembered) out_of_reach_.clear();
    out_of_reach_.insert(gpu.text());
  }
  [[nodiscard]] bool is_out_of_reach(const Incarnation& gpu) {
    const std::scoped_lock lock(mutex_);
    return out_of_reach_.contains(gpu.text());
  }

 private:
  std::mutex mutex_;
  static constexpr std::size_t most_remembered = 1024;
  std::map<std::string, std::unique_ptr<wire::ArenaMapping>> mappings_;
  std::set<std::string> out_of_reach_;  ///< incarnations
};

}  // namespace penstock::staging
