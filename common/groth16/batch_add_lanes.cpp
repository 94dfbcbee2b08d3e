#include "common/groth16/batch_add_lanes.hpp"

#if PENSTOCK_LANES

#include "common/groth16/coordinate_lanes.hpp"

namespace penstock::groth16 {
namespace {

using namespace algebra::lanes;

template <class F>
using Value = CoordinateValue<F>;

template <class F>
PENSTOCK_LANE_CALL Value<F> read(const LaneGroup<F>& group) {
  return read_coordinate<F>(group.limb);
}
template <class F>
PENSTOCK_LANE_CALL void write(LaneGroup<F>& group, const Value<F>& value) {
  write_coordinate(group.limb, value);
}

template <class Base>
void put_element(std::uint64_t* to, const Base& value) {
  for (int i = 0; i < LaneShape<Base>::limbs; ++i) {
    const int word = i * limb_bits / 64, offset = i * limb_bits % 64;
    std::uint64_t bits = value.limb[word] >> offset;
    if (offset > 64 - limb_bits && word + 1 < Base::limb_count) bits |= value.limb[word + 1] << (64 - offset);
    to[8 * i] = bits & limb_mask;
  }
}
/// Values below 2^(64 words), reduced here.
template <class Base>
Base take_element(const std::uint64_t* from) {
  typename Base::Limbs words{};
  for (int i = 0; i < LaneShape<Base>::limbs; ++i) {
    const auto word = static_cast<std::size_t>(i * limb_bits / 64);
    const int offset = i * limb_bits % 64;
    words[word] |= from[8 * i] << offset;
    if (offset > 64 - limb_bits && word + 1 < words.size()) words[word + 1] |= from[8 * i] >> (64 - offset);
  }
  const typename Base::Limbs modulus = Base::modulus();
  while (!Base::is_canonical(words)) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = algebra::limbs::subtract_borrow(words[i], modulus[i], borrow);
  }
  return Base::from_montgomery(words);
}

}  // namespace

template <class Point>
void AdditionLanes<Point>::put_lane(Group& group, std::size_t lane, const F& value) {
  if constexpr (LaneShape<F>::degree == 1) {
    put_element(group.limb + lane, value);
  } else {
    put_element(group.limb + lane, value.c0);
    put_element(group.limb + 8 * LaneShape<F>::limbs + lane, value.c1);
  }
}

template <class Point>
typename AdditionLanes<Point>::F AdditionLanes<Point>::take_lane(const Group& group, std::size_t lane) {
  if constexpr (LaneShape<F>::degree == 1)
    return take_element<F>(group.limb + lane);
  else
    return {take_element<typename F::Base>(group.limb + lane),
            take_element<typename F::Base>(group.limb + 8 * LaneShape<F>::limbs + lane)};
}

template <class Point>
PENSTOCK_LANE_CODE unsigned AdditionLanes<Point>::differences(const Left& left, const Left& right,
                                                              Group& out) {
  const auto left_x = load_coordinate<F>(left, offsetof(Point, x));
  const auto right_x = load_coordinate<F>(right, offsetof(Point, x));
  const auto difference = canonical_difference(right_x, left_x);
  write<F>(out, difference);
  return static_cast<unsigned>(is_zero(difference) | is_zero(left_x) | is_zero(right_x));
}

/// Two chains side by side: one alone would wait for each product's latency.
template <class Point>
PENSTOCK_LANE_CODE void AdditionLanes<Point>::multiply_up(std::span<const Group> denominators,
                                                          std::span<Group> prefixes,
                                                          std::array<F, 8>& product) {
  Value<F> chain[2] = {coordinate_one<F>(), coordinate_one<F>()};
  for (std::size_t g = 0; g < denominators.size(); ++g) {
    Value<F>& current = chain[g & 1];
    write<F>(prefixes[g], current);
    current = coordinate_product<2>(current, coordinate_factor(read<F>(denominators[g])));
  }
  // Canonical first: a product of two chains needs one factor below p.
  const Value<F> both = coordinate_product<2>(chain[0], coordinate_factor(canonical_coordinate(chain[1])));
  Group lanes;
  write<F>(lanes, both);
  for (std::size_t lane = 0; lane < 8; ++lane) product[lane] = take_lane(lanes, lane);
}

template <class Point>
PENSTOCK_LANE_CODE void AdditionLanes<Point>::multiply_down(std::span<const Group> denominators,
                                                            std::span<Group> prefixes,
                                                            const std::array<F, 8>& inverse) {
  const std::size_t groups = denominators.size();
  Group lanes;
  for (std::size_t lane = 0; lane < 8; ++lane) put_lane(lanes, lane, inverse[lane]);
  // The whole product of a chain is its last prefix times its last denominator.
  Value<F> whole[2] = {coordinate_one<F>(), coordinate_one<F>()};
  for (std::size_t g = groups > 2 ? groups - 2 : 0; g < groups; ++g)
    whole[g & 1] = coordinate_product<2>(read<F>(prefixes[g]), coordinate_factor(read<F>(denominators[g])));
  const auto united = coordinate_factor(read<F>(lanes));
  Value<F> chain[2] = {coordinate_product<2>(whole[1], united), coordinate_product<2>(whole[0], united)};
  for (std::size_t g = groups; g-- > 0;) {
    Value<F>& current = chain[g & 1];
    const Value<F> inverse_here = coordinate_product<2>(current, coordinate_factor(read<F>(prefixes[g])));
    current = coordinate_product<2>(current, coordinate_factor(read<F>(denominators[g])));
    write<F>(prefixes[g], inverse_here);
  }
}

template <class Point>
PENSTOCK_LANE_CODE void AdditionLanes<Point>::finish(const Left& left, const Left& right, const Out& out,
                                                     const Group& inverses) {
  const auto left_y = load_coordinate<F>(left, offsetof(Point, y));
  const auto right_y = load_coordinate<F>(right, offsetof(Point, y));
  const auto slope =
      coordinate_product<3>(read<F>(inverses), coordinate_factor(canonical_difference(right_y, left_y)));
  const auto left_x = load_coordinate<F>(left, offsetof(Point, x));
  const auto right_x = load_coordinate<F>(right, offsetof(Point, x));
  const auto x = square_minus(slope, left_x, right_x);
  const auto y = product_minus(slope, coordinate_factor(canonical_difference(left_x, x)), left_y);
  store_coordinate<F>(out, offsetof(Point, x), x);
  store_coordinate<F>(out, offsetof(Point, y), y);
}

template struct AdditionLanes<algebra::Bn254::G1>;
template struct AdditionLanes<algebra::Bn254::G2>;
template struct AdditionLanes<algebra::Bls12_381::G1>;
template struct AdditionLanes<algebra::Bls12_381::G2>;

}  // namespace penstock::groth16

#endif
