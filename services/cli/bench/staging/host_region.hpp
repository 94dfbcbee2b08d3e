// Host memory for the staging benchmark: pages of its own, touched before use, never swapped into a malloc
// arena. Ownership: move-only. Errors: out_of_memory.
#pragma once

#include <sys/mman.h>

#include <cstring>
#include <span>

#include "common/base/result.hpp"
#include "common/wire/file_handle.hpp"

namespace penstock::cli::bench {

class HostRegion {
 public:
  HostRegion() = default;
  [[nodiscard]] static Result<HostRegion> allocate(std::size_t size_bytes) {
    HostRegion region;
    region.map_ = wire::MemoryMap(::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0),
                                  size_bytes);
    if (region.map_.is_mapped()) return region;
    return Error{.code = ErrorCode::out_of_memory,
                 .what = "the host has no room for " + std::to_string(size_bytes) + " bytes of partitions"};
  }
  [[nodiscard]] std::span<std::byte> bytes() const { return map_.bytes(); }

 private:
  wire::MemoryMap map_;
};

}  // namespace penstock::cli::bench
