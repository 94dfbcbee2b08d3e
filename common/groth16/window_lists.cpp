#include "common/groth16/window_lists.hpp"

#include <algorithm>

#include "common/base/sensitive.hpp"

namespace penstock::groth16 {
namespace {
/// 1 MiB of entries a thread, and as few windows whose buckets are held at once: more gave no speed.
constexpr std::size_t entries_per_thread = std::size_t{1} << 18;
}  // namespace

int windows_per_build(const ThreadTeam& team, const MsmScalars& scalars) {
  const std::size_t most = entries_per_thread * static_cast<std::size_t>(team.size());
  const std::size_t fitting = most / std::max<std::size_t>(scalars.nonzero(), 1);
  return static_cast<int>(
      std::clamp<std::size_t>(fitting, 1, static_cast<std::size_t>(scalars.plan().windows)));
}

void WindowLists::build(ThreadTeam& team, const MsmScalars& scalars, int first, int count) {
  first_ = first;
  count_ = count;
  buckets_ = scalars.plan().buckets();
  const auto windows = static_cast<std::size_t>(count);
  cursors_.assign(windows * scalars.parts() * buckets_, 0);
  offsets_.resize(windows * (buckets_ + 1));
  starts_.resize(windows);
  count_digits(team, scalars);
  place_windows(team, scalars.parts());
  scatter(team, scalars);
}

void WindowLists::count_digits(ThreadTeam& team, const MsmScalars& scalars) {
  const std::size_t parts = scalars.parts();
  team.for_each(static_cast<std::size_t>(count_) * parts, [&](std::size_t task, int) {
    std::uint32_t* counts = cursors_.data() + task * buckets_;
    scalars.for_each_digit(
        task % parts, first_ + static_cast<int>(task / parts),
        [counts](std::uint32_t, std::int32_t digit) { ++counts[(digit < 0 ? -digit : digit) - 1]; });
  });
}

void WindowLists::place_windows(ThreadTeam& team, std::size_t parts) {
  team.for_each(static_cast<std::size_t>(count_), [&](std::size_t window, int) {
    std::uint32_t* cursors = cursors_.data() + window * parts * buckets_;
    std::uint32_t* offsets = offsets_.data() + window * (buckets_ + 1);
    std::uint32_t position = 0;
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      offsets[bucket] = position;
      for (std::size_t part = 0; part < parts; ++part) {
        std::uint32_t& cursor = cursors[part * buckets_ + bucket];
        const std::uint32_t entries = cursor;
        cursor = position;
        position += entries;
      }
    }
    offsets[buckets_] = position;
  });
  std::size_t total = 0;
  for (std::size_t window = 0; window < starts_.size(); ++window) {
    starts_[window] = total;
    total += offsets_[(window + 1) * (buckets_ + 1) - 1];
  }
  entries_.resize(total);
}

void WindowLists::scatter(ThreadTeam& team, const MsmScalars& scalars) {
  const std::size_t parts = scalars.parts();
  team.for_each(static_cast<std::size_t>(count_) * parts, [&](std::size_t task, int) {
    std::uint32_t* cursors = cursors_.data() + task * buckets_;
    std::uint32_t* entries = entries_.data() + starts_[task / parts];
    scalars.for_each_digit(task % parts, first_ + static_cast<int>(task / parts),
                           [cursors, entries](std::uint32_t index, std::int32_t digit) {
                             const bool is_negative = digit < 0;
                             const std::int32_t bucket = (is_negative ? -digit : digit) - 1;
                             entries[cursors[bucket]++] =
                                 index << 1 | static_cast<std::uint32_t>(is_negative);
                           });
  });
}

void WindowLists::clear() noexcept {
  wipe(std::as_writable_bytes(std::span<std::uint32_t>(entries_)));
  wipe(std::as_writable_bytes(std::span<std::uint32_t>(offsets_)));
  wipe(std::as_writable_bytes(std::span<std::uint32_t>(cursors_)));
  count_ = 0;
}

}  // namespace penstock::groth16
