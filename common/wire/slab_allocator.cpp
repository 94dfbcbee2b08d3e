#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "common/wire/arena.hpp"

namespace penstock::wire {
namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;

/// The free ranges, by offset (to coalesce) and by size (best fit: the smallest that fits, the lowest of
/// equals).
class FreeRanges {
 public:
  void add(std::uint64_t offset, std::uint64_t size) {
    if (size == 0) return;
    auto after = by_offset_.lower_bound(offset);
    if (after != by_offset_.end() && offset + size == after->first) {
      size += after->second;
      after = remove(after);
    }
    if (after != by_offset_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == offset) {
        offset = before->first;
        size += before->second;
        remove(before);
      }
    }
    by_offset_.emplace(offset, size);
    by_size_.emplace(size, offset);
  }

  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t size) {
    const auto best = by_size_.lower_bound({size, 0});
    if (best == by_size_.end()) return std::nullopt;
    const auto [range_size, offset] = *best;
    remove(by_offset_.find(offset));
    add(offset + size, range_size - size);
    return offset;
  }

  [[nodiscard]] std::uint64_t count() const { return by_offset_.size(); }
  [[nodiscard]] std::uint64_t largest() const { return by_size_.empty() ? 0 : by_size_.rbegin()->first; }

 private:
  std::map<std::uint64_t, std::uint64_t>::iterator remove(
      std::map<std::uint64_t, std::uint64_t>::iterator range) {
    by_size_.erase({range->second, range->first});
    return by_offset_.erase(range);
  }
  std::map<std::uint64_t, std::uint64_t> by_offset_;
  std::set<Range> by_size_;
};

Error stale(std::uint64_t lease, const char* why) {
  return Error{.code = ErrorCode::conflict, .what = "lease " + std::to_string(lease) + " " + why};
}

}  // namespace

struct SlabAllocator::Impl {
  const Clock& clock;
  std::uint64_t arena_bytes;
  FreeRanges free;
  std::unordered_map<std::uint64_t, SlabLease> leases;
  std::uint64_t leased_bytes = 0;
  std::uint64_t last = 0;  // lease ids and tokens grow together
};

SlabAllocator::SlabAllocator(std::uint64_t arena_bytes, const Clock& clock)
    : impl_(new Impl{.clock = clock,
                     .arena_bytes = arena_bytes / slab_unit_bytes * slab_unit_bytes,
                     .free = {},
                     .leases = {}}) {
  impl_->free.add(0, impl_->arena_bytes);
}

SlabAllocator::~SlabAllocator() = default;

Result<SlabLease> SlabAllocator::lease(std::uint64_t size_bytes, std::chrono::milliseconds valid_for) {
  if (size_bytes == 0)
    return Error{.code = ErrorCode::bad_request, .what = "a slab of 0 bytes was asked for"};
  if (size_bytes > impl_->arena_bytes)
    return Error{.code = ErrorCode::body_too_large,
                 .what = "a slab of " + std::to_string(size_bytes) + " bytes is larger than the arena of " +
                         std::to_string(impl_->arena_bytes),
                 .hint = "give the gpu service a larger arena"};
  const std::uint64_t size = (size_bytes + slab_unit_bytes - 1) / slab_unit_bytes * slab_unit_bytes;
  const auto offset = impl_->free.take(size);
  if (!offset)
    return Error{.code = ErrorCode::overloaded,
                 .what = "no slab of " + std::to_string(size) + " bytes is free now"};
  SlabLease out;
  out.lease = ++impl_->last;
  out.token = FencingToken{impl_->last};
  out.offset = *offset;
  out.size_bytes = size;
  out.deadline = impl_->clock.steady_now() + valid_for;
  impl_->leased_bytes += size;
  impl_->leases.emplace(out.lease, out);
  return out;
}

Result<SlabLease> SlabAllocator::commit(std::uint64_t lease, FencingToken token) {
  const auto found = impl_->leases.find(lease);
  if (found == impl_->leases.end()) return stale(lease, "is not known (any more)");
  SlabLease& slab = found->second;
  if (slab.token != token) return stale(lease, "has another token");
  if (slab.state != SlabState::leased) return stale(lease, "is committed already");
  if (impl_->clock.steady_now() > slab.deadline) return stale(lease, "has expired");
  slab.state = SlabState::staged;
  return slab;
}

void SlabAllocator::extend(std::uint64_t lease, std::chrono::milliseconds valid_for) {
  const auto found = impl_->leases.find(lease);
  if (found != impl_->leases.end() && found->second.state == SlabState::leased)
    found->second.deadline = impl_->clock.steady_now() + valid_for;
}

void SlabAllocator::set_proving(std::uint64_t lease) {
  const auto found = impl_->leases.find(lease);
  if (found != impl_->leases.end() && found->second.state == SlabState::staged)
    found->second.state = SlabState::proving;
}

void SlabAllocator::release(std::uint64_t lease) {
  const auto found = impl_->leases.find(lease);
  if (found == impl_->leases.end()) return;
  impl_->free.add(found->second.offset, found->second.size_bytes);
  impl_->leased_bytes -= found->second.size_bytes;
  impl_->leases.erase(found);
}

std::vector<SlabLease> SlabAllocator::expired() const {
  const SteadyTime now = impl_->clock.steady_now();
  std::vector<SlabLease> out;
  for (const auto& [id, slab] : impl_->leases)
    if (slab.state == SlabState::leased && now > slab.deadline) out.push_back(slab);
  std::sort(out.begin(), out.end(), [](const SlabLease& a, const SlabLease& b) { return a.lease < b.lease; });
  return out;
}

std::optional<SlabLease> SlabAllocator::find(std::uint64_t lease) const {
  const auto found = impl_->leases.find(lease);
  if (found == impl_->leases.end()) return std::nullopt;
  return found->second;
}

SlabAllocator::Usage SlabAllocator::usage() const {
  Usage out;
  for (const auto& [id, slab] : impl_->leases) {
    ++out.slabs[static_cast<std::size_t>(slab.state)];
    out.bytes[static_cast<std::size_t>(slab.state)] += slab.size_bytes;
  }
  out.slabs[static_cast<std::size_t>(SlabState::free)] = impl_->free.count();
  out.bytes[static_cast<std::size_t>(SlabState::free)] = impl_->arena_bytes - impl_->leased_bytes;
  out.largest_free_bytes = impl_->free.largest();
  return out;
}

}  // namespace penstock::wire
