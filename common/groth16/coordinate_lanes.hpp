// Coordinates of G1 (a prime field) and G2 (its quadratic extension) in lanes: one set of names for both, for
// the sums in batch_add_lanes.cpp. Bounds: [k] stands for [0, k p), element by element; loads are canonical.
// Every bound was worked out for BN254, whose p / 2^256 = 0.19 is the largest; a factor may be up to [5].
// Ownership: none. Threads: no state. Errors: none. Cost: an Fp2 product is 4 products and 2 reductions.
#pragma once

#include "common/algebra/lanes_memory.hpp"
#include "common/groth16/batch_add_lanes.hpp"

#if PENSTOCK_LANES

namespace penstock::groth16 {

namespace lanes = algebra::lanes;

template <class Params>
struct PairValue {
  lanes::Lanes<Params> c0, c1;
};
template <class Params>
struct PairFactor {
  lanes::Factor<Params> c0, c1;
};

template <class F>
using CoordinateValue =
    std::conditional_t<LaneShape<F>::degree == 1, lanes::Lanes<typename LaneShape<F>::Params>,
                       PairValue<typename LaneShape<F>::Params>>;

/// coordinate_factor(value): [5] or less.
template <class Params>
PENSTOCK_LANE_CALL lanes::Factor<Params> coordinate_factor(const lanes::Lanes<Params>& value) {
  return lanes::factor(value);
}
template <class Params>
PENSTOCK_LANE_CALL PairFactor<Params> coordinate_factor(const PairValue<Params>& value) {
  return {lanes::factor(value.c0), lanes::factor(value.c1)};
}

/// a [bound] times b. In G1: [2] for b [2]. In G2: [2] for bound 2 and b [1]; [3] for bound 2 and b [2];
/// [2.1] for bound 3 and b [1].
template <int bound, class Params>
PENSTOCK_LANE_CALL lanes::Lanes<Params> coordinate_product(const lanes::Lanes<Params>& a,
                                                           const lanes::Factor<Params>& b) {
  return lanes::settled(lanes::loose_product(a, b));
}
template <int bound, class Params>
PENSTOCK_LANE_CALL PairValue<Params> coordinate_product(const PairValue<Params>& a,
                                                        const PairFactor<Params>& b) {
  const auto minus_a1 = lanes::settled(lanes::loose_difference<bound>(lanes::zero<Params>(), a.c1));
  const lanes::Lanes<Params> real[2] = {a.c0, minus_a1}, imaginary[2] = {a.c0, a.c1};
  const lanes::Factor<Params> straight[2] = {b.c0, b.c1}, crossed[2] = {b.c1, b.c0};
  return {lanes::settled(lanes::loose_product<Params, 2>(real, straight)),
          lanes::settled(lanes::loose_product<Params, 2>(imaginary, crossed))};
}

/// Canonical a - b of canonical values.
template <class Params>
PENSTOCK_LANE_CALL lanes::Lanes<Params> canonical_difference(const lanes::Lanes<Params>& a,
                                                             const lanes::Lanes<Params>& b) {
  return lanes::canonical_around_zero(lanes::loose_difference<0>(a, b));
}
template <class Params>
PENSTOCK_LANE_CALL PairValue<Params> canonical_difference(const PairValue<Params>& a,
                                                          const PairValue<Params>& b) {
  return {canonical_difference(a.c0, b.c0), canonical_difference(a.c1, b.c1)};
}
template <class Params>
PENSTOCK_LANE_CALL lanes::Lanes<Params> canonical_coordinate(const lanes::Lanes<Params>& a) {
  return lanes::canonical(a);
}
template <class Params>
PENSTOCK_LANE_CALL PairValue<Params> canonical_coordinate(const PairValue<Params>& a) {
  return {lanes::canonical(a.c0), lanes::canonical(a.c1)};
}

template <class Params>
PENSTOCK_LANE_CALL lanes::Mask is_zero(const PairValue<Params>& a) {
  return static_cast<lanes::Mask>(lanes::is_zero(a.c0) & lanes::is_zero(a.c1));
}

/// Canonical s² - a - b, for a slope [2] in G1, [2.1] in G2; a, b canonical.
template <class Params>
PENSTOCK_LANE_CALL lanes::Lanes<Params> square_minus(const lanes::Lanes<Params>& s,
                                                     const lanes::Lanes<Params>& a,
                                                     const lanes::Lanes<Params>& b) {
  const auto square = lanes::loose_product(s, lanes::factor(s));  // [2]
  return lanes::canonical(lanes::loose_difference<1>(lanes::loose_difference<1>(square, a), b));
}
/// (c0 + c1)(c0 - c1) and 2 c0 c1.
template <class Params>
PENSTOCK_LANE_CALL PairValue<Params> square_minus(const PairValue<Params>& s, const PairValue<Params>& a,
                                                  const PairValue<Params>& b) {
  const auto sum = lanes::settled(lanes::loose_sum(s.c0, s.c1));                   // [4.2]
  const auto difference = lanes::settled(lanes::loose_difference<3>(s.c0, s.c1));  // [5.1]
  const auto doubled = lanes::settled(lanes::loose_sum(s.c0, s.c0));               // [4.2]
  const auto real = lanes::loose_product(sum, lanes::factor(difference));          // [5.1]
  const auto imaginary = lanes::loose_product(doubled, lanes::factor(s.c1));       // [2.7]
  return {lanes::canonical(lanes::loose_difference<1>(lanes::loose_difference<1>(real, a.c0), b.c0)),
          lanes::canonical(lanes::loose_difference<1>(lanes::loose_difference<1>(imaginary, a.c1), b.c1))};
}

/// Canonical s d - a, for a slope s, a canonical d and a canonical a.
template <class Params>
PENSTOCK_LANE_CALL lanes::Lanes<Params> product_minus(const lanes::Lanes<Params>& s,
                                                      const lanes::Factor<Params>& d,
                                                      const lanes::Lanes<Params>& a) {
  return lanes::canonical(lanes::loose_difference<1>(lanes::loose_product(s, d), a));
}
template <class Params>
PENSTOCK_LANE_CALL PairValue<Params> product_minus(const PairValue<Params>& s, const PairFactor<Params>& d,
                                                   const PairValue<Params>& a) {
  const auto product = coordinate_product<3>(s, d);
  return {lanes::canonical(lanes::loose_difference<1>(product.c0, a.c0)),
          lanes::canonical(lanes::loose_difference<1>(product.c1, a.c1))};
}

/// Memory: from eight points, to eight points, from and to a LaneGroup.
template <class F, class Point>
PENSTOCK_LANE_CALL CoordinateValue<F> load_coordinate(const std::array<const Point*, 8>& points,
                                                      std::size_t offset) {
  using Params = typename LaneShape<F>::Params;
  const auto at = [&points](std::size_t i) { return reinterpret_cast<const std::byte*>(points[i]); };
  lanes::Sources from = {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
  if constexpr (LaneShape<F>::degree == 1)
    return lanes::load<Params>(from, offset);
  else
    return {lanes::load<Params>(from, offset), lanes::load<Params>(from, offset + F::Base::size_bytes)};
}
template <class F, class Point>
PENSTOCK_LANE_CALL void store_coordinate(const std::array<Point*, 8>& points, std::size_t offset,
                                         const CoordinateValue<F>& value) {
  const auto at = [&points](std::size_t i) { return reinterpret_cast<std::byte*>(points[i]); };
  lanes::Targets to = {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
  if constexpr (LaneShape<F>::degree == 1) {
    lanes::store(to, value, offset);
  } else {
    lanes::store(to, value.c0, offset);
    lanes::store(to, value.c1, offset + F::Base::size_bytes);
  }
}

template <class Params>
PENSTOCK_LANE_CALL lanes::Lanes<Params> read_element(const std::uint64_t* from) {
  lanes::Lanes<Params> r;
#pragma GCC unroll 8
  for (int i = 0; i < r.n; ++i) r.limb[i] = _mm512_load_si512(from + 8 * i);
  return r;
}
template <class F>
PENSTOCK_LANE_CALL CoordinateValue<F> read_coordinate(const std::uint64_t* from) {
  using Params = typename LaneShape<F>::Params;
  if constexpr (LaneShape<F>::degree == 1)
    return read_element<Params>(from);
  else
    return {read_element<Params>(from), read_element<Params>(from + 8 * LaneShape<F>::limbs)};
}
template <class Params>
PENSTOCK_LANE_CALL void write_coordinate(std::uint64_t* to, const lanes::Lanes<Params>& value) {
#pragma GCC unroll 8
  for (int i = 0; i < value.n; ++i) _mm512_store_si512(to + 8 * i, value.limb[i]);
}
template <class Params>
PENSTOCK_LANE_CALL void write_coordinate(std::uint64_t* to, const PairValue<Params>& value) {
  write_coordinate(to, value.c0);
  write_coordinate(to + 8 * value.c0.n, value.c1);
}

/// One in every lane.
template <class Params>
PENSTOCK_LANE_CALL lanes::Lanes<Params> element_one() {
  constexpr auto one = algebra::FieldConstants<Params>::one;
  lanes::Words<Params::limb_count> words;
#pragma GCC unroll 8
  for (int i = 0; i < Params::limb_count; ++i) words.word[i] = lanes::constant(one.limb[i]);
  return lanes::from_words<Params>(words);
}
template <class F>
PENSTOCK_LANE_CALL CoordinateValue<F> coordinate_one() {
  using Params = typename LaneShape<F>::Params;
  if constexpr (LaneShape<F>::degree == 1)
    return element_one<Params>();
  else
    return {element_one<Params>(), lanes::zero<Params>()};
}

}  // namespace penstock::groth16

#endif
