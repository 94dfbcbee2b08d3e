// A batch of affine additions, eight pairs at a time (batch_add_lanes.hpp). Same contract as
// BatchAdder::add(). Pairs that need care go one by one through AffinePair, with the batch's own inverses, so
// that a batch of nothing else costs what the scalar path costs.
// Ownership: the scratch grows to the largest batch. Threads: one object each. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/large_vector.hpp"
#include "common/groth16/affine_pair.hpp"
#include "common/groth16/batch_add_lanes.hpp"

namespace penstock::groth16 {

/// Below this, joining the lanes' chains costs more than the lanes save.
inline constexpr std::size_t fewest_in_lanes = 16;

[[nodiscard]] inline bool fills_addition_lanes(std::size_t count) {
  return count >= fewest_in_lanes && algebra::active_lanes() == algebra::LanePath::ifma;
}

template <class Point>
class LaneAdder {};

template <class Point>
requires has_addition_lanes<Point>
class LaneAdder<Point> {
 public:
  using F = typename Point::Coordinate;
  using Lanes = AdditionLanes<Point>;

  template <class Left, class Right, class Out>
  void add(std::size_t count, Left& left, Right& right, Out& out) {
    const std::size_t groups = (count + 7) / 8;
    if (denominators_.size() < groups) {
      denominators_.resize(groups);
      prefixes_.resize(groups);
      care_.resize(groups);
    }
    for (std::size_t g = 0; g < groups; ++g) {
      const auto [p, q] = operands(8 * g, count, left, right);
      care_[g] = static_cast<std::uint8_t>(Lanes::differences(p, q, denominators_[g]));
      for (unsigned bits = care_[g]; bits != 0; bits &= bits - 1) {
        const auto lane = static_cast<std::size_t>(__builtin_ctz(bits));
        Lanes::put_lane(denominators_[g], lane, AffinePair<Point>{*p[lane], *q[lane]}.denominator());
      }
    }
    invert(groups);
    for (std::size_t g = groups; g-- > 0;) {
      const auto [p, q] = operands(8 * g, count, left, right);
      typename Lanes::Out results;
      for (std::size_t lane = 0; lane < 8; ++lane)
        results[lane] = 8 * g + lane < count ? &out(8 * g + lane) : &unused_;
      if (care_[g] == 0)
        Lanes::finish(p, q, results, prefixes_[g]);
      else
        finish_with_care(g, p, q, results);
    }
  }

 private:
  using Side = typename Lanes::Left;

  template <class Left, class Right>
  std::array<Side, 2> operands(std::size_t first, std::size_t count, Left& left, Right& right) const {
    std::array<Side, 2> sides;
    for (std::size_t lane = 0; lane < 8; ++lane) {
      const bool is_there = first + lane < count;
      sides[0][lane] = is_there ? &left(first + lane) : &padding_[0];
      sides[1][lane] = is_there ? &right(first + lane) : &padding_[1];
    }
    return sides;
  }

  /// prefixes_[g] = the inverses of denominators_[g].
  void invert(std::size_t groups) {
    const std::span<typename Lanes::Group> prefixes(prefixes_.data(), groups);
    const std::span<const typename Lanes::Group> denominators(denominators_.data(), groups);
    std::array<F, 8> product, before;
    Lanes::multiply_up(denominators, prefixes, product);
    F chain = F::one();
    for (std::size_t lane = 0; lane < 8; ++lane) {
      before[lane] = chain;
      chain *= product[lane];
    }
    F inverse = chain.inverse();
    for (std::size_t lane = 8; lane-- > 0;) {
      const F factor = product[lane];
      product[lane] = inverse * before[lane];
      inverse *= factor;
    }
    Lanes::multiply_down(denominators, prefixes, product);
  }

  void finish_with_care(std::size_t g, const Side& p, const Side& q, typename Lanes::Out results) {
    std::array<Point, 8> ps, qs;
    const typename Lanes::Out targets = results;
    for (std::size_t lane = 0; lane < 8; ++lane)
      if ((care_[g] >> lane & 1) != 0) {
        ps[lane] = *p[lane];
        qs[lane] = *q[lane];
        results[lane] = &unused_;
      }
    Lanes::finish(p, q, results, prefixes_[g]);
    for (std::size_t lane = 0; lane < 8; ++lane)
      if ((care_[g] >> lane & 1) != 0) {
        const AffinePair<Point> pair{ps[lane], qs[lane]};
        const F slope = Lanes::take_lane(prefixes_[g], lane) * pair.numerator();
        *targets[lane] = pair.sum(slope, pair.sum_x(slope));
      }
  }

  LargeVector<typename Lanes::Group> denominators_, prefixes_;
  std::vector<std::uint8_t> care_;  // a bit a lane
  /// Two points (of no curve) whose sum is an ordinary one, for the lanes beyond the last pair.
  std::array<Point, 2> padding_ = {Point{F::one(), F::one()}, Point{F::one().doubled(), F::one()}};
  Point unused_;
};

}  // namespace penstock::groth16
