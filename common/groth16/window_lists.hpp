// Which points fall into which bucket, for several windows of one vector of scalars: a counting sort, done
// once and read by every query that shares the scalars (A, B1, B2, C). Shape: per window, entries sorted by
// bucket; bucket b holds the digits +-(b + 1). An entry is index << 1 | negative. Ownership: owns its lists;
// memory is reused by the next build(). The lists tell the scalars: their memory is wiped. Threads: build()
// uses the team; reading is const. Errors: none. Cost: two readings of the digits; 4 bytes an entry.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/sensitive.hpp"
#include "common/groth16/msm_scalars.hpp"

namespace penstock::groth16 {

class WindowLists {
 public:
  /// Windows [first, first + count) of the scalars' plan, a list each; with a stride one list of them all
  /// over the points of a PointTable, in which scalar i of window w is w * stride + i.
  void build(ThreadTeam& team, const MsmScalars& scalars, int first, int count, std::uint32_t stride = 0);

  [[nodiscard]] int first() const { return first_; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] std::size_t buckets() const { return buckets_; }
  /// offsets(w)[b] .. offsets(w)[b + 1]: bucket b's entries. `window` counts from first().
  [[nodiscard]] std::span<const std::uint32_t> offsets(int window) const {
    return {offsets_.data() + static_cast<std::size_t>(window) * (buckets_ + 1), buckets_ + 1};
  }
  [[nodiscard]] std::span<const std::uint32_t> entries(int window) const {
    return {entries_.data() + starts_[static_cast<std::size_t>(window)], offsets(window)[buckets_]};
  }

 private:
  struct Windows {
    int first = 0, count = 0;
    std::uint32_t stride = 0;
  };
  void count_digits(ThreadTeam& team, const MsmScalars& scalars, const Windows& windows);
  void place_lists(ThreadTeam& team, std::size_t tasks_per_list);
  void scatter(ThreadTeam& team, const MsmScalars& scalars, const Windows& windows);

  int first_ = 0, count_ = 0;
  std::size_t buckets_ = 0;
  SecretVector<std::uint32_t> cursors_;  // [window][part][bucket]: counts, then write positions
  SecretVector<std::uint32_t> offsets_;  // [list][bucket]
  std::vector<std::size_t> starts_;      // [list]
  SecretVector<std::uint32_t> entries_;
};

/// Of the scalars' own plan.
[[nodiscard]] inline int windows_per_build(const ThreadTeam& team, const MsmScalars& scalars) {
  return windows_per_build(team.size(), scalars.nonzero(), scalars.plan().windows);
}

}  // namespace penstock::groth16
