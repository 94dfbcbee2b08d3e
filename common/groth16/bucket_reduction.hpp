// The weighted sum of a window's buckets, sum over b of (b + 1) B_b, by running sums over many segments side
// by side, so that the additions come in batches: about 12 products a bucket where two XYZZ running sums
// take 24. Shape: a piece of 2^k buckets gives the pair (sum of (b - first + 1) B_b, sum of B_b); pieces
// combine by their first b. Several pieces reduce together: their segments share every inversion.
// Ownership: owns its accumulators. Threads: one object each. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "common/algebra/curve.hpp"
#include "common/base/large_vector.hpp"
#include "common/groth16/batch_add.hpp"

namespace penstock::groth16 {

template <class Point>
struct BucketPiece {
  using Sum = algebra::Xyzz<typename Point::Coordinate>;
  Sum weighted = Sum::infinity();  ///< sum of (b - first + 1) B_b
  Sum plain = Sum::infinity();     ///< sum of B_b
};

/// k P for a small k. Cost: the bits of k.
template <class Sum>
[[nodiscard]] Sum small_multiple(const Sum& point, std::size_t k) {
  Sum result = Sum::infinity();
  for (int bit = k == 0 ? 0 : 64 - __builtin_clzll(k); bit-- > 0;) {
    result.double_in_place();
    if ((k >> bit & 1) != 0) result.add(point);
  }
  return result;
}

template <class Point>
class BucketReducer {
 public:
  using F = typename Point::Coordinate;
  using Sum = algebra::Xyzz<F>;

  /// One result for each of the equal pieces of `buckets`. REQUIRES a power of two of buckets a piece.
  std::span<const BucketPiece<Point>> reduce(std::span<const Point> buckets, std::size_t pieces = 1) {
    const std::size_t piece = buckets.size() / pieces;
    const std::size_t length = std::min(segment_length(buckets.size()), piece);
    const std::size_t segments = piece / length;
    results_.resize(pieces);
    if (segments >= 4) sum_segments(buckets, pieces * segments, length);
    for (std::size_t i = 0; i < pieces; ++i)
      results_[i] = segments < 4 ? reduce_serially(buckets.subspan(i * piece, piece))
                                 : combine(i * segments, segments, length);
    return results_;
  }

 private:
  /// One inversion a step against two XYZZ additions a segment: length = sqrt(34 products / inversion *
  /// buckets).
  static std::size_t segment_length(std::size_t buckets) {
    std::size_t length = 4;
    while (length * length * inversion_products<F> < 34 * buckets) length *= 2;
    return length;
  }
  static BucketPiece<Point> reduce_serially(std::span<const Point> buckets) {
    BucketPiece<Point> piece;
    for (std::size_t b = buckets.size(); b-- > 0;) {
      piece.plain.add(buckets[b]);
      piece.weighted.add(piece.plain);
    }
    return piece;
  }
  /// accumulators_[s] = sum of segment s, accumulators_[segments + s] = its weighted sum, weights 1 ..
  /// length.
  void sum_segments(std::span<const Point> buckets, std::size_t segments, std::size_t length) {
    accumulators_.assign(2 * segments, Point::infinity());
    Point* running = accumulators_.data();
    Point* total = running + segments;
    const auto left = [running](std::size_t k) -> const Point& { return running[k]; };
    const auto out = [running](std::size_t k) -> Point& { return running[k]; };
    for (std::size_t s = 0; s < segments; ++s) running[s] = buckets[s * length + length - 1];
    for (std::size_t step = length - 1; step-- > 0;) {
      // The totals lag one step behind: they take the running sum that this batch replaces (outputs come last
      // to first).
      const auto right = [&](std::size_t k) -> const Point& {
        return k < segments ? buckets[k * length + step] : running[k - segments];
      };
      adder_.add(2 * segments, left, right, out);
    }
    adder_.add(
        segments, [total](std::size_t k) -> const Point& { return total[k]; }, left,
        [total](std::size_t k) -> Point& { return total[k]; });
  }
  /// The segments [first, first + segments): bucket b = s * length + j weighs s * length + (j + 1).
  BucketPiece<Point> combine(std::size_t first, std::size_t segments, std::size_t length) const {
    const Point* running = accumulators_.data() + first;
    const Point* total = running + accumulators_.size() / 2;
    BucketPiece<Point> piece;
    Sum by_segment = Sum::infinity();  // sum of s * (sum of segment s)
    for (std::size_t s = segments - 1; s > 0; --s) {
      piece.plain.add(running[s]);
      by_segment.add(piece.plain);
    }
    piece.plain.add(running[0]);
    for (std::size_t scale = length; scale > 1; scale /= 2) by_segment.double_in_place();
    for (std::size_t s = 0; s < segments; ++s) piece.weighted.add(total[s]);
    piece.weighted.add(by_segment);
    return piece;
  }

  std::vector<BucketPiece<Point>> results_;
  LargeVector<Point> accumulators_;
  BatchAdder<Point> adder_;
};

}  // namespace penstock::groth16
