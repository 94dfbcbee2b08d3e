// Sums of affine points in many cells, in affine coordinates: additions are collected and share one inversion
// (Montgomery's trick), 5M + 1S each. Included only by the subgroup check.
// Shape: cell_count running sums. Ownership: the object owns its cells and scratch, allocated once.
// Threads: one object per thread. Errors: none; equal, opposite and infinite points are handled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/algebra/curve.hpp"

namespace penstock::algebra {

template <class Point>
class CellSums {
 public:
  using F = typename Point::Coordinate;

  explicit CellSums(std::size_t cell_count)
      : cells_(cell_count, Point::infinity()), taken_(cell_count, false) {
    pending_.reserve(batch_size);
    denominators_.resize(batch_size);
    prefixes_.resize(batch_size);
    postponed_.reserve(batch_size);
  }

  /// The sum in `cell` grows by `point`, at the latest in finish().
  void add(std::uint32_t cell, const Point& point) {
    if (point.is_infinity()) return;
    if (taken_[cell]) {  // one addition per cell and batch
      postponed_.push_back({cell, point});
      if (postponed_.size() == batch_size) flush();
      return;
    }
    enqueue(cell, point);
    if (pending_.size() == batch_size) flush();
  }
  /// Completes what is pending. The cells are then the sums.
  std::span<const Point> finish() {
    while (!pending_.empty() || !postponed_.empty()) flush();
    return cells_;
  }

 private:
  struct Addition {
    std::uint32_t cell;
    Point point;
  };
  // 1,024 additions share an inversion of about 400 products: 0.4 of a product each; more would leave the
  // cache.
  static constexpr std::size_t batch_size = 1024;

  void enqueue(std::uint32_t cell, const Point& point) {
    Point& sum = cells_[cell];
    if (sum.is_infinity()) {
      sum = point;
      return;
    }
    F denominator = point.x - sum.x;
    if (denominator.is_zero()) {
      if (!(point.y == sum.y) || point.y.is_zero()) {
        sum = Point::infinity();
        return;
      }
      denominator = point.y.doubled();
    }
    denominators_[pending_.size()] = denominator;
    pending_.push_back({cell, point});
    taken_[cell] = true;
  }

  void flush() {
    add_pending();
    std::vector<Addition> again;
    again.swap(postponed_);
    postponed_.reserve(batch_size);
    for (const Addition& addition : again) {
      if (taken_[addition.cell])
        postponed_.push_back(addition);
      else
        enqueue(addition.cell, addition.point);
    }
  }

  void add_pending() {
    F product = F::one();
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      prefixes_[i] = product;
      product *= denominators_[i];
    }
    F inverse = product.inverse();
    for (std::size_t i = pending_.size(); i-- > 0;) {
      const Point& point = pending_[i].point;
      Point& sum = cells_[pending_[i].cell];
      F slope = inverse * prefixes_[i];
      inverse *= denominators_[i];
      if (point.x == sum.x) {
        const F xx = sum.x.square();
        slope *= xx.doubled() + xx;
      } else {
        slope *= point.y - sum.y;
      }
      const F x = slope.square() - sum.x - point.x;
      sum.y = slope * (sum.x - x) - sum.y;
      sum.x = x;
      taken_[pending_[i].cell] = false;
    }
    pending_.clear();
  }

  std::vector<Point> cells_;
  std::vector<bool> taken_;
  std::vector<Addition> pending_, postponed_;
  std::vector<F> denominators_, prefixes_;
};

}  // namespace penstock::algebra
