// The arenas of the GPU services on this host, mapped once each. Threads: any.
// Errors: not_found, file_unreadable (the arena is out of reach), index_out_of_range.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "common/wire/arena.hpp"

namespace penstock::synthesis {

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

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<wire::ArenaMapping>> mappings_;
};

}  // namespace penstock::synthesis
