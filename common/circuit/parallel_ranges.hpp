// Splits [0, count) into contiguous ranges, one a thread. Internal to this folder: checks that run before a
// prover exists. Threads: `work` runs concurrently with itself and must not throw; the call returns when all
// have ended.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

namespace penstock::circuit {

/// How many ranges for_ranges() makes; `threads` < 1 counts as 1.
[[nodiscard]] inline std::uint64_t range_count(std::uint64_t count, int threads, std::uint64_t min_range) {
  const std::uint64_t wanted = static_cast<std::uint64_t>(std::max(threads, 1));
  return std::clamp<std::uint64_t>(count / std::max<std::uint64_t>(min_range, 1), 1, wanted);
}

/// Calls work(part, begin, end) for each part. Ranges below `min_range` are not split further.
template <class Work>
void for_ranges(std::uint64_t count, int threads, std::uint64_t min_range, Work work) {
  const auto parts = range_count(count, threads, min_range);
  const auto begin_of = [=](std::uint64_t part) {
    return count / parts * part + std::min(part, count % parts);
  };
  std::vector<std::jthread> helpers;
  helpers.reserve(parts - 1);
  for (std::uint64_t part = 1; part < parts; ++part)
    helpers.emplace_back([=, &work] { work(part, begin_of(part), begin_of(part + 1)); });
  work(std::uint64_t{0}, begin_of(0), begin_of(1));
}

/// The lowest index that any thread has offered: the same finding whatever the number of threads.
class LowestIndex {
 public:
  void offer(std::uint64_t index) {
    auto known = lowest_.load();
    while (index < known && !lowest_.compare_exchange_weak(known, index)) {
    }
  }
  /// Nothing at or above this index matters any more.
  [[nodiscard]] bool is_settled_before(std::uint64_t index) const {
    return index > lowest_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::optional<std::uint64_t> value() const {
    const auto found = lowest_.load();
    if (found == none) return std::nullopt;
    return found;
  }

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> lowest_ = none;
};

/// The lowest index in [0, count) for which `is_bad` is true, looked for on `threads` cores.
template <class IsBad>
[[nodiscard]] std::optional<std::uint64_t> lowest_bad_index(std::uint64_t count, int threads,
                                                            std::uint64_t min_range, IsBad is_bad) {
  LowestIndex lowest;
  for_ranges(count, threads, min_range, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end && !lowest.is_settled_before(i); ++i)
      if (is_bad(i)) return lowest.offer(i);
  });
  return lowest.value();
}

}  // namespace penstock::circuit
