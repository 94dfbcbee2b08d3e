// Fixed-base tables of a query: 2^(c w) P_i for every window w, so that all windows share one set of buckets
// and the windows can be wide (gpu.md, "What no public peer does together", 1). Worth its memory for a key
// that stays resident and scalars that are full-width: a quarter fewer additions.
// Shape: windows rows of `stride` points; beyond the query's own points a row holds infinities.
// Ownership: owns its points. Threads: immutable once built. Errors: std::bad_alloc.
// Cost: building c doublings (9 products) a point and window, on the whole team; plan().windows times the
// query's memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/algebra/curve.hpp"
#include "common/base/large_vector.hpp"
#include "common/base/unaligned.hpp"
#include "common/groth16/finite_map.hpp"
#include "common/groth16/msm_plan.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {

template <class Point>
class PointTable {
 public:
  PointTable() = default;
  /// REQUIRES stride >= points.size(), windows * stride below 2^31.
  PointTable(ThreadTeam& team, UnalignedSpan<Point> points, const MsmPlan& plan, std::size_t stride);

  /// The memory it would take is within the budget, and its places within an entry of WindowLists.
  [[nodiscard]] static bool fits(std::size_t stride, const MsmPlan& plan, std::uint64_t budget_bytes) {
    const std::uint64_t places = static_cast<std::uint64_t>(plan.windows) * stride;
    return places < (std::uint64_t{1} << 31) && places * sizeof(Point) + places / 8 <= budget_bytes;
  }
  [[nodiscard]] bool empty() const { return points_.empty(); }
  /// The window the scalars must be cut by; 0 of an empty table: any.
  [[nodiscard]] int window_bits() const { return empty() ? 0 : plan_.window_bits; }
  [[nodiscard]] std::uint32_t stride() const { return stride_; }
  [[nodiscard]] UnalignedSpan<Point> points() const { return std::span<const Point>(points_); }
  [[nodiscard]] std::span<const std::uint64_t> finite() const { return finite_; }
  [[nodiscard]] std::uint64_t size_bytes() const {
    return points_.size() * sizeof(Point) + finite_.size() * 8;
  }

 private:
  using Sum = algebra::Xyzz<typename Point::Coordinate>;
  static constexpr std::size_t points_per_task = 256;  // whose conversions share an inversion

  void fill_columns(std::size_t begin, std::size_t end);

  MsmPlan plan_;
  std::uint32_t stride_ = 0;
  LargeVector<Point> points_;
  FiniteMap finite_;
};

template <class Point>
PointTable<Point>::PointTable(ThreadTeam& team, UnalignedSpan<Point> points, const MsmPlan& plan,
                              std::size_t stride)
    : plan_(plan),
      stride_(static_cast<std::uint32_t>(stride)),
      points_(static_cast<std::size_t>(plan.windows) * stride) {
  team.for_ranges(stride, points_per_task, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) points_[i] = i < points.size() ? points[i] : Point::infinity();
    fill_columns(begin, end);
  });
  finite_ = finite_points(team, this->points());
}

template <class Point>
void PointTable<Point>::fill_columns(std::size_t begin, std::size_t end) {
  std::vector<Sum> sums(end - begin);
  for (int window = 1; window < plan_.windows; ++window) {
    const Point* from = points_.data() + static_cast<std::size_t>(window - 1) * stride_;
    for (std::size_t i = begin; i < end; ++i) {
      Sum& sum = sums[i - begin] = Sum::from(from[i]);
      for (int bit = 0; bit < plan_.window_bits; ++bit) sum.double_in_place();
    }
    Point* to = points_.data() + static_cast<std::size_t>(window) * stride_;
    algebra::batch_to_affine<typename Point::Coordinate>(sums, {to + begin, end - begin});
  }
}

}  // namespace penstock::groth16
