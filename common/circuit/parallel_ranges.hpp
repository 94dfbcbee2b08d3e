// Splits [0, count) into contiguous ranges, one a thread. Internal to this folder: checks that run before a
// prover exists. Threads: `work` runs concurrently with itself and must not throw; the call returns when all
// have ended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace penstock::circuit {

/// Calls work(part, begin, end) for each part; `threads` < 1 counts as 1. Ranges below `min_range` are not
/// split.
template <class Work>
void for_ranges(std::uint64_t count, int threads, std::uint64_t min_range, Work work) {
  const std::uint64_t wanted = std::max(threads, 1);
  const std::uint64_t parts =
      std::clamp<std::uint64_t>(count / std::max<std::uint64_t>(min_range, 1), 1, wanted);
  const auto begin_of = [&](std::uint64_t part) {
    return count / parts * part + std::min(part, count % parts);
  };
  std::vector<std::jthread> helpers;
  helpers.reserve(parts - 1);
  for (std::uint64_t part = 1; part < parts; ++part)
    helpers.emplace_back([&, part] { work(part, begin_of(part), begin_of(part + 1)); });
  work(std::uint64_t{0}, begin_of(0), begin_of(1));
}

}  // namespace penstock::circuit
