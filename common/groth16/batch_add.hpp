// Affine additions in batches that share one inversion (Montgomery's trick), complete: P = Q, P = -Q and
// infinity are answered, never assumed away. Shape: out(k) = left(k) + right(k) for k in [0, count).
// Aliasing: outputs are written for decreasing k. out(k) may be left(k), right(k), or an operand of a larger
// k. Ownership: the scratch is the caller's and grows to the largest batch. Threads: one scratch each.
// Errors: none. Cost: 5M + 1S a pair and one inversion a batch (about 100 products in Fp, 36 in Fp2).
#pragma once

#include <cstddef>

#include "common/base/large_vector.hpp"
#include "common/groth16/affine_pair.hpp"
#include "common/groth16/lane_adder.hpp"

namespace penstock::groth16 {

template <class Point>
class BatchAdder {
 public:
  using F = typename Point::Coordinate;

  template <class Left, class Right, class Out>
  void add(std::size_t count, Left&& left, Right&& right, Out&& out) {
    if (count == 0) return;
    if constexpr (has_addition_lanes<Point>)
      if (fills_addition_lanes(count)) return lanes_.add(count, left, right, out);
    if (denominators_.size() < count) {
      denominators_.resize(count);
      prefixes_.resize(count);
    }
    // Two interleaved chains of products: a single one would wait for each product's latency.
    F even = F::one(), odd = F::one();
    for (std::size_t k = 0; k < count; ++k) {
      const F denominator = AffinePair<Point>{left(k), right(k)}.denominator();
      F& chain = (k & 1) == 0 ? even : odd;
      denominators_[k] = denominator;
      prefixes_[k] = chain;
      chain *= denominator;
    }
    const F inverse = (even * odd).inverse();
    F chains[2] = {inverse * odd, inverse * even};
    for (std::size_t end = count; end > 0;) {
      const std::size_t begin = (end - 1) / block * block;
      finish_block(begin, end, chains, left, right, out);
      end = begin;
    }
  }

 private:
  /// Additions whose steps are interleaved: one alone is a chain of dependent products, longer than the
  /// processor can look ahead (BN254 G1: 220 ns an addition one by one, see README decision 4).
  static constexpr std::size_t block = 16;

  template <class Left, class Right, class Out>
  void finish_block(std::size_t begin, std::size_t end, F (&chains)[2], Left&& left, Right&& right,
                    Out&& out) {
    F slopes[block], xs[block];
    for (std::size_t k = end; k-- > begin;) {
      F& chain = chains[k & 1];
      slopes[k - begin] = chain * prefixes_[k];
      chain *= denominators_[k];
    }
    const auto pair = [&](std::size_t k) { return AffinePair<Point>{left(k), right(k)}; };
    for (std::size_t k = begin; k < end; ++k) slopes[k - begin] *= pair(k).numerator();
    for (std::size_t k = begin; k < end; ++k) xs[k - begin] = pair(k).sum_x(slopes[k - begin]);
    for (std::size_t k = end; k-- > begin;) out(k) = pair(k).sum(slopes[k - begin], xs[k - begin]);
  }

  LargeVector<F> denominators_, prefixes_;
  LaneAdder<Point> lanes_;
};

/// What one inversion costs, in products of the same field: batches should be several times longer.
template <class F>
inline constexpr std::size_t inversion_products = 100;
template <class F>
requires requires {
  typename F::Base;
}
inline constexpr std::size_t inversion_products<F> = 36;

}  // namespace penstock::groth16
