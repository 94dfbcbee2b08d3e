// The arena: one shared-memory file owned by the GPU service, pinned once, cut into slabs that synthesis
// workers lease. Shape: best fit with coalescing over 4 KiB units; a lease = {id, token, offset, size,
// deadline}. Ownership: the GPU service owns the file (0600, created exclusively, removed on close) and the
// allocator; workers map it.
//   One service per device: PATH.lock (owner_lock.hpp) names the owner's pid; a second create() fails with
//   conflict and names it. Both files go with the owner.
// Threads: SlabAllocator is used by one thread (the GPU service's loop); ArenaMapping::range by any.
// Errors: overloaded (no room now), body_too_large (larger than the arena), conflict (stale token),
// out_of_memory (the
//   file system has no room), file_unwritable, not_found (the file is gone).
// Security: slabs are wiped before another tenant gets them; the file is pre-faulted at start. Whoever may
// open the file
//   (the same user) could truncate it under the owner: workers are trusted like the service itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/clock.hpp"
#include "common/base/ids.hpp"
#include "common/base/result.hpp"

namespace penstock::wire {

/// The owner's side: creates, sizes, pre-faults, locks and maps the file.
class ArenaFile {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ArenaFile>> create(const std::filesystem::path& path,
                                                                 std::uint64_t size_bytes);
  virtual ~ArenaFile() = default;
  [[nodiscard]] virtual std::span<std::byte> memory() = 0;
  [[nodiscard]] virtual const std::filesystem::path& path() const = 0;
  /// False when somebody removed or replaced the file: workers cannot reach this memory any more.
  [[nodiscard]] virtual bool is_in_place() const = 0;
};

/// A worker's side: maps an existing arena read-write, remaps when the file behind the path has changed.
/// Spans of an older file stay writable, into memory that nobody else sees, until the mapping dies: a worker
/// that is writing when its GPU service restarts neither crashes nor writes into the new tenant's slabs.
class ArenaMapping {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ArenaMapping>> open(const std::filesystem::path& path);
  virtual ~ArenaMapping() = default;
  /// Bounds-checked: index_out_of_range when the range leaves the file; not_found when the file is gone.
  [[nodiscard]] virtual Result<std::span<std::byte>> range(std::uint64_t offset,
                                                           std::uint64_t size_bytes) = 0;
};

enum class SlabState : std::uint8_t { free, leased, staged, proving };

struct SlabLease {
  std::uint64_t lease = 0;
  FencingToken token{};
  std::uint64_t offset = 0, size_bytes = 0;
  SteadyTime deadline{};
  SlabState state = SlabState::leased;
};

/// Slabs begin and end at multiples of this.
inline constexpr std::uint64_t slab_unit_bytes = 4096;

class SlabAllocator {
 public:
  SlabAllocator(std::uint64_t arena_bytes, const Clock& clock);
  ~SlabAllocator();
  SlabAllocator(const SlabAllocator&) = delete;
  SlabAllocator& operator=(const SlabAllocator&) = delete;
  /// The lease's size is `size_bytes` rounded up to whole units. Errors: bad_request (0 bytes),
  /// body_too_large, overloaded.
  [[nodiscard]] Result<SlabLease> lease(std::uint64_t size_bytes, std::chrono::milliseconds valid_for);
  /// leased -> staged when lease and token match and the deadline has not passed (conflict otherwise).
  [[nodiscard]] Result<SlabLease> commit(std::uint64_t lease, FencingToken token);
  /// A leased slab's deadline moves on: its worker is sending. Anything else is left as it is.
  void extend(std::uint64_t lease, std::chrono::milliseconds valid_for);
  /// staged -> proving; anything else is left as it is.
  void set_proving(std::uint64_t lease);
  /// Frees the slab (the caller has wiped it). Unknown leases are ignored: idempotent.
  void release(std::uint64_t lease);
  /// Leases past their deadline, still `leased`: the caller wipes and releases them.
  [[nodiscard]] std::vector<SlabLease> expired() const;
  [[nodiscard]] std::optional<SlabLease> find(std::uint64_t lease) const;
  struct Usage {
    std::uint64_t slabs[4] = {}, bytes[4] = {};  ///< by SlabState; `free` counts free ranges
    std::uint64_t largest_free_bytes = 0;
  };
  [[nodiscard]] Usage usage() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same on all processes of one host and boot; different elsewhere (kernel boot id).
[[nodiscard]] std::string host_id();

}  // namespace penstock::wire
