#include "common/groth16/window_lists.hpp"

#include <algorithm>

#include "common/base/sensitive.hpp"

namespace penstock::groth16 {
/// A task is one part of the scalars in one window; a list is what one window's tasks give, or all of them.
void WindowLists::build(ThreadTeam& team, const MsmScalars& scalars, int first, int count,
                        std::uint32_t stride) {
  const Windows windows{first, count, stride};
  first_ = stride == 0 ? first : 0;
  count_ = stride == 0 ? count : 1;
  buckets_ = scalars.plan().buckets();
  const auto lists = static_cast<std::size_t>(count_);
  const std::size_t tasks = static_cast<std::size_t>(windows.count) * scalars.parts();
  cursors_.assign(tasks * buckets_, 0);
  offsets_.resize(lists * (buckets_ + 1));
  starts_.resize(lists);
  count_digits(team, scalars, windows);
  place_lists(team, tasks / lists);
  scatter(team, scalars, windows);
}

void WindowLists::count_digits(ThreadTeam& team, const MsmScalars& scalars, const Windows& windows) {
  const std::size_t parts = scalars.parts();
  team.for_each(static_cast<std::size_t>(windows.count) * parts, [&](std::size_t task, int) {
    std::uint32_t* counts = cursors_.data() + task * buckets_;
    scalars.for_each_digit(
        task % parts, windows.first + static_cast<int>(task / parts),
        [counts](std::uint32_t, std::int32_t digit) { ++counts[(digit < 0 ? -digit : digit) - 1]; });
  });
}

void WindowLists::place_lists(ThreadTeam& team, std::size_t tasks_per_list) {
  team.for_each(starts_.size(), [&](std::size_t list, int) {
    std::uint32_t* cursors = cursors_.data() + list * tasks_per_list * buckets_;
    std::uint32_t* offsets = offsets_.data() + list * (buckets_ + 1);
    std::uint32_t position = 0;
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      offsets[bucket] = position;
      for (std::size_t task = 0; task < tasks_per_list; ++task) {
        std::uint32_t& cursor = cursors[task * buckets_ + bucket];
        const std::uint32_t entries = cursor;
        cursor = position;
        position += entries;
      }
    }
    offsets[buckets_] = position;
  });
  std::size_t total = 0;
  for (std::size_t list = 0; list < starts_.size(); ++list) {
    starts_[list] = total;
    total += offsets_[(list + 1) * (buckets_ + 1) - 1];
  }
  entries_.resize(total);
}

void WindowLists::scatter(ThreadTeam& team, const MsmScalars& scalars, const Windows& windows) {
  const std::size_t parts = scalars.parts();
  const std::size_t tasks = static_cast<std::size_t>(windows.count) * parts;
  team.for_each(tasks, [&](std::size_t task, int) {
    const auto window = static_cast<std::uint32_t>(windows.first) + static_cast<std::uint32_t>(task / parts);
    const std::uint32_t row = window * windows.stride;
    std::uint32_t* cursors = cursors_.data() + task * buckets_;
    std::uint32_t* entries = entries_.data() + starts_[task / (tasks / starts_.size())];
    scalars.for_each_digit(task % parts, static_cast<int>(window),
                           [cursors, entries, row](std::uint32_t index, std::int32_t digit) {
                             const bool is_negative = digit < 0;
                             const std::int32_t bucket = (is_negative ? -digit : digit) - 1;
                             entries[cursors[bucket]++] =
                                 (row + index) << 1 | static_cast<std::uint32_t>(is_negative);
                           });
  });
}

}  // namespace penstock::groth16
