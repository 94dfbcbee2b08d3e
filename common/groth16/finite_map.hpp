// Which points of a query are not infinity, one bit each, so that a sum skips the others without reading
// them. Ownership: the map is the caller's. Threads: the team's. Errors: none. Cost: the points are read
// once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/base/unaligned.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {

using FiniteMap = std::vector<std::uint64_t>;  ///< bit i: point i is not infinity

template <class Point>
[[nodiscard]] FiniteMap finite_points(ThreadTeam& team, UnalignedSpan<Point> points) {
  FiniteMap map((points.size() + 63) / 64);
  team.for_ranges(map.size(), 128, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * 64; i < std::min(end * 64, points.size()); ++i)
      map[i / 64] |= std::uint64_t{!points[i].is_infinity()} << (i % 64);
  });
  return map;
}

}  // namespace penstock::groth16
