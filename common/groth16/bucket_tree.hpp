// Sums of runs: points sorted by bucket become one point per bucket, by levels of pairwise batch additions. A
// bucket with most of the points is a deep tree, not a conflict: skew costs nothing. Shape: load with push(),
// non-decreasing keys; sum_runs() leaves one point per distinct key in keys() and points(). Ownership: owns
// two levels of points. Threads: one tree each. Errors: none. Cost: one batch addition per point less
//   one per key; the last few of a level, too few for an inversion, in XYZZ.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/algebra/curve.hpp"
#include "common/base/large_vector.hpp"
#include "common/groth16/batch_add.hpp"

namespace penstock::groth16 {

template <class Point>
class BucketTree {
 public:
  using F = typename Point::Coordinate;

  void clear(std::size_t capacity) {
    count_ = 0;
    if (level_.size() < capacity) {
      level_.resize(capacity);
      next_.resize(capacity);
      keys_.resize(capacity);
      lefts_.resize(capacity);
      outs_.resize(capacity);
    }
  }
  /// REQUIRES fewer pushes than the capacity, and a key not below the last one.
  void push(std::uint32_t key, const Point& point) {
    keys_[count_] = key;
    level_[count_++] = point;
  }
  [[nodiscard]] std::span<const std::uint32_t> keys() const { return {keys_.data(), count_}; }
  [[nodiscard]] std::span<const Point> points() const { return {level_.data(), count_}; }

  void sum_runs() {
    while (true) {
      const std::size_t pairs = pair_up();
      if (pairs == 0) return;
      if (pairs < smallest_batch) return sum_runs_in_xyzz();
      adder_.add(
          pairs, [&](std::size_t k) -> const Point& { return level_[lefts_[k]]; },
          [&](std::size_t k) -> const Point& { return level_[lefts_[k] + 1]; },
          [&](std::size_t k) -> Point& { return next_[outs_[k]]; });
      level_.swap(next_);
      count_ = compact_keys(pairs);
    }
  }

 private:
  /// Below this an XYZZ addition (4 products dearer) is cheaper than a share of an inversion.
  static constexpr std::size_t smallest_batch = inversion_products<F> / 4;

  /// Lists the neighbours with equal keys; the others move to the next level as they are.
  std::size_t pair_up() {
    std::size_t pairs = 0, out = 0;
    for (std::size_t i = 0; i < count_; ++out) {
      if (i + 1 < count_ && keys_[i] == keys_[i + 1]) {
        lefts_[pairs] = static_cast<std::uint32_t>(i);
        outs_[pairs++] = static_cast<std::uint32_t>(out);
        i += 2;
      } else {
        next_[out] = level_[i++];
      }
    }
    return pairs;
  }
  /// Drops the right key of every pair.
  std::size_t compact_keys(std::size_t pairs) {
    std::size_t out = lefts_[0] + 1;
    for (std::size_t k = 0; k < pairs; ++k) {
      const std::size_t end = k + 1 < pairs ? lefts_[k + 1] + 1 : count_;
      for (std::size_t i = lefts_[k] + std::size_t{2}; i < end; ++i) keys_[out++] = keys_[i];
    }
    return out;
  }
  void sum_runs_in_xyzz() {
    std::size_t out = 0;
    sums_.clear();
    for (std::size_t i = 0; i < count_; ++out) {
      const std::size_t begin = i;
      while (i < count_ && keys_[i] == keys_[begin]) ++i;
      keys_[out] = keys_[begin];
      if (i == begin + 1) {
        level_[out] = level_[begin];
        continue;
      }
      auto sum = algebra::Xyzz<F>::from(level_[begin]);
      for (std::size_t j = begin + 1; j < i; ++j) sum.add(level_[j]);
      outs_[sums_.size()] = static_cast<std::uint32_t>(out);
      sums_.push_back(sum);
    }
    count_ = out;
    affine_.resize(sums_.size());
    algebra::batch_to_affine<F>(sums_, affine_);
    for (std::size_t k = 0; k < sums_.size(); ++k) level_[outs_[k]] = affine_[k];
  }

  std::size_t count_ = 0;
  LargeVector<Point> level_, next_;
  LargeVector<std::uint32_t> keys_, lefts_, outs_;
  BatchAdder<Point> adder_;
  std::vector<algebra::Xyzz<F>> sums_;
  std::vector<Point> affine_;
};

}  // namespace penstock::groth16
