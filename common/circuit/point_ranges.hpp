// The points of one group that lie in several sections of a file, seen as one sequence with a single index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/unaligned.hpp"

namespace penstock::circuit {

/// May the point at infinity stand here?
enum class Infinity { allowed, refused };

template <class Point>
class PointRanges {
 public:
  struct Range {
    std::string name;
    UnalignedSpan<Point> points;
    std::uint64_t file_offset = 0;
    Infinity infinity = Infinity::allowed;
    std::uint64_t first = 0;  ///< index of points[0] in the sequence
  };

  void add(std::string name, UnalignedSpan<Point> points, std::uint64_t file_offset, Infinity infinity) {
    ranges_.push_back({std::move(name), points, file_offset, infinity, size_});
    size_ += points.size();
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// REQUIRES index < size().
  [[nodiscard]] const Range& range_of(std::uint64_t index) const {
    return *std::prev(std::ranges::upper_bound(ranges_, index, {}, &Range::first));
  }
  [[nodiscard]] Point operator[](std::uint64_t index) const {
    const auto& range = range_of(index);
    return range.points[index - range.first];
  }
  [[nodiscard]] std::string name_of(std::uint64_t index) const {
    const auto& range = range_of(index);
    return range.name + "[" + std::to_string(index - range.first) + "]";
  }
  [[nodiscard]] std::uint64_t file_offset_of(std::uint64_t index) const {
    const auto& range = range_of(index);
    return range.file_offset + (index - range.first) * sizeof(Point);
  }

 private:
  std::vector<Range>
      ranges_;  // ordered by `first`; an empty range shares it with the next, which upper_bound finds
  std::uint64_t size_ = 0;
};

}  // namespace penstock::circuit
