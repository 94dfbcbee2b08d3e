// One affine addition, complete, cut where a batch shares its inversion: a denominator, and the sum once its
// inverse is known. P = Q, P = -Q and infinity are answered. Infinity (0, 0) is off the curve, so a common x
// or an x of zero is all that a special case can look like.
// Ownership, threads, errors: none. Cost: 2M + 1S and the inverse.
#pragma once

namespace penstock::groth16 {

template <class Point>
struct AffinePair {
  using F = typename Point::Coordinate;
  const Point &p, &q;

  [[nodiscard]] bool is_special() const { return p.x == q.x || p.is_infinity() || q.is_infinity(); }

  /// Never zero, or it would spoil the whole batch.
  [[nodiscard]] F denominator() const {
    if (!is_special()) [[likely]]
      return q.x - p.x;
    return is_doubling() ? p.y.doubled() : F::one();
  }
  /// The slope is this over the denominator.
  [[nodiscard]] F numerator() const {
    if (p.x == q.x) [[unlikely]] {
      const F xx = p.x.square();
      return xx.doubled() + xx;
    }
    return q.y - p.y;
  }
  [[nodiscard]] F sum_x(const F& slope) const { return slope.square() - p.x - q.x; }
  [[nodiscard]] Point sum(const F& slope, const F& x) const {
    if (is_special()) [[unlikely]] {
      if (p.is_infinity()) return q;
      if (q.is_infinity()) return p;
      if (!is_doubling()) return Point::infinity();
    }
    return {x, slope * (p.x - x) - p.y};
  }

 private:
  /// y = 0: infinity, or a point of order two that doubles to it.
  [[nodiscard]] bool is_doubling() const { return p == q && !p.y.is_zero(); }
};

}  // namespace penstock::groth16
