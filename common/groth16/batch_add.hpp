// Affine additions in batches that share one inversion (Montgomery's trick), complete: P = Q, P = -Q and
// infinity are answered, never assumed away. Shape: out(k) = left(k) + right(k) for k in [0, count).
// Aliasing: outputs are written for decreasing k. out(k) may be left(k), right(k), or an operand of a larger
// k. Ownership: the scratch is the caller's and grows to the largest batch. Threads: one scratch each.
// Errors: none. Cost: 5M + 1S a pair and one inversion a batch (about 320 products in Fp, 110 in Fp2).
#pragma once

#include <cstddef>
#include <vector>

namespace penstock::groth16 {

template <class Point>
class BatchAdder {
 public:
  using F = typename Point::Coordinate;

  template <class Left, class Right, class Out>
  void add(std::size_t count, Left&& left, Right&& right, Out&& out) {
    if (count == 0) return;
    if (denominators_.size() < count) {
      denominators_.resize(count);
      prefixes_.resize(count);
    }
    // Two interleaved chains of products: a single one would wait for each product's latency.
    F even = F::one(), odd = F::one();
    for (std::size_t k = 0; k < count; ++k) {
      const F denominator = denominator_of(left(k), right(k));
      F& chain = (k & 1) == 0 ? even : odd;
      denominators_[k] = denominator;
      prefixes_[k] = chain;
      chain *= denominator;
    }
    const F inverse = (even * odd).inverse();
    F inverse_even = inverse * odd, inverse_odd = inverse * even;
    for (std::size_t k = count; k-- > 0;) {
      F& chain = (k & 1) == 0 ? inverse_even : inverse_odd;
      const F inverted = chain * prefixes_[k];
      chain *= denominators_[k];
      out(k) = sum_of(left(k), right(k), inverted);
    }
  }

 private:
  /// Never zero, or it would spoil the whole batch.
  static F denominator_of(const Point& p, const Point& q) {
    const F difference = q.x - p.x;
    if (!difference.is_zero() && !p.is_infinity() && !q.is_infinity()) [[likely]]
      return difference;
    return is_doubling(p, q) ? p.y.doubled() : F::one();
  }
  static bool is_doubling(const Point& p, const Point& q) {
    return p == q && !p.y.is_zero();  // y = 0: infinity, or a point of order two that doubles to it
  }
  static Point sum_of(const Point& p, const Point& q, const F& inverted) {
    if (p.is_infinity()) return q;
    if (q.is_infinity()) return p;
    F slope;
    if (p.x == q.x) [[unlikely]] {
      if (!is_doubling(p, q)) return Point::infinity();
      const F xx = p.x.square();
      slope = (xx.doubled() + xx) * inverted;
    } else {
      slope = (q.y - p.y) * inverted;
    }
    const F x = slope.square() - p.x - q.x;
    return {x, slope * (p.x - x) - p.y};
  }

  std::vector<F> denominators_, prefixes_;
};

/// What one inversion costs, in products of the same field: batches should be several times longer.
template <class F>
inline constexpr std::size_t inversion_products = 320;
template <class F>
requires requires {
  typename F::Base;
}
inline constexpr std::size_t inversion_products<F> = 110;

}  // namespace penstock::groth16
