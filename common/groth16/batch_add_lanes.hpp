// The steps of a batch of affine additions (batch_add.hpp) for eight pairs at a time, by
// common/algebra/lanes.hpp: differences, running products, and the sums once the inverses are known.
// Shape: a LaneGroup holds eight coordinates in lanes; pairs come as eight pointers a side. Pairs that need
//   care (equal x, an x of zero) are reported, not handled: the caller puts their denominators in and takes
//   their inverses out one by one.
// REQUIRES active_lanes() == LanePath::ifma. Ownership: the caller's memory. Threads: no state. Errors: none.
// Cost: a seventh of the scalar steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/algebra/curves.hpp"
#include "common/algebra/lanes_build.hpp"
#include "common/algebra/lanes_path.hpp"

namespace penstock::groth16 {

/// The groups whose sums have lanes, in builds that have them.
template <class Point>
inline constexpr bool has_addition_lanes = false;

/// What a coordinate is made of: `degree` elements of a prime field with `limbs` 52-bit limbs each.
template <class F>
struct LaneShape;
template <class ParamsT>
struct LaneShape<algebra::Field<ParamsT>> {
  using Params = ParamsT;
  static constexpr int degree = 1, limbs = (64 * Params::limb_count + 51) / 52;
};
template <class Base>
struct LaneShape<algebra::Fp2<Base>> : LaneShape<Base> {
  static constexpr int degree = 2;
};

/// Eight coordinates, limb by limb: limb i of lane l at [8 i + l].
template <class F>
struct LaneGroup {
  alignas(64) std::uint64_t limb[8 * LaneShape<F>::degree * LaneShape<F>::limbs];
};

template <class Point>
struct AdditionLanes;

#if PENSTOCK_LANES
template <>
inline constexpr bool has_addition_lanes<algebra::Bn254::G1> = true;
template <>
inline constexpr bool has_addition_lanes<algebra::Bn254::G2> = true;
template <>
inline constexpr bool has_addition_lanes<algebra::Bls12_381::G1> = true;
template <>
inline constexpr bool has_addition_lanes<algebra::Bls12_381::G2> = true;

template <class Point>
struct AdditionLanes {
  using F = typename Point::Coordinate;
  using Group = LaneGroup<F>;
  using Left = std::array<const Point*, 8>;
  using Out = std::array<Point*, 8>;

  static void put_lane(Group& group, std::size_t lane, const F& value);
  [[nodiscard]] static F take_lane(const Group& group, std::size_t lane);

  /// right.x - left.x. Returns the lanes that need care, as bits.
  PENSTOCK_LANE_CODE static unsigned differences(const Left& left, const Left& right, Group& out);

  /// prefixes[g] = the product of denominators[g - 2], [g - 4], ...; the two whole products, lane by lane
  /// multiplied with each other, go to `product` as ordinary elements.
  PENSTOCK_LANE_CODE static void multiply_up(std::span<const Group> denominators, std::span<Group> prefixes,
                                             std::array<F, 8>& product);
  /// prefixes[g] becomes the inverse of denominators[g]. `inverse`: of multiply_up's product.
  PENSTOCK_LANE_CODE static void multiply_down(std::span<const Group> denominators, std::span<Group> prefixes,
                                               const std::array<F, 8>& inverse);

  /// out = left + right. All operands are read before a result is written.
  PENSTOCK_LANE_CODE static void finish(const Left& left, const Left& right, const Out& out,
                                        const Group& inverses);
};

extern template struct AdditionLanes<algebra::Bn254::G1>;
extern template struct AdditionLanes<algebra::Bn254::G2>;
extern template struct AdditionLanes<algebra::Bls12_381::G1>;
extern template struct AdditionLanes<algebra::Bls12_381::G2>;
#endif

}  // namespace penstock::groth16
