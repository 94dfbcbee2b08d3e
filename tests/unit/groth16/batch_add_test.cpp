#include "common/groth16/batch_add.hpp"

#include <gtest/gtest.h>

#include "common/algebra/curves.hpp"
#include "common/groth16/bucket_reduction.hpp"
#include "common/groth16/bucket_tree.hpp"
#include "common/groth16/fixed_base.hpp"

namespace penstock::groth16 {
namespace {

using Point = algebra::Bn254::G1;
using Sum = algebra::Bn254::G1Sum;
using Fr = algebra::Bn254::Fr;

/// k G for k = 0, 1, 2, ...
std::vector<Point> multiples(std::size_t count) {
  std::vector<Point> points;
  Sum sum = Sum::infinity();
  for (std::size_t k = 0; k < count; ++k) {
    points.push_back(sum.to_affine());
    sum.add(algebra::Bn254::g1_generator());
  }
  return points;
}

TEST(BatchAdd, AnswersEverySpecialCaseInOneBatch) {
  const std::vector<Point> g = multiples(12);
  const Point infinity = Point::infinity();
  const std::vector<std::array<Point, 3>> cases = {
      {g[1], g[2], g[3]},     {g[2], g[2], g[4]},     {g[3], -g[3], infinity},
      {infinity, g[5], g[5]}, {g[6], infinity, g[6]}, {infinity, infinity, infinity},
      {g[4], g[7], g[11]},    {-g[2], g[9], g[7]},    {-g[5], -g[5], -g[10]}};
  for (std::size_t count = 1; count <= cases.size(); ++count) {
    std::vector<Point> out(count);
    BatchAdder<Point> adder;
    adder.add(
        count, [&](std::size_t k) -> const Point& { return cases[k][0]; },
        [&](std::size_t k) -> const Point& { return cases[k][1]; },
        [&](std::size_t k) -> Point& { return out[k]; });
    for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(out[k], cases[k][2]) << k << " of " << count;
  }
}

/// All four groups, batches around the width of the lanes, with special pairs in every lane and none.
template <class P>
class BatchAddLanes : public ::testing::Test {};
using Points =
    ::testing::Types<algebra::Bn254::G1, algebra::Bn254::G2, algebra::Bls12_381::G1, algebra::Bls12_381::G2>;
TYPED_TEST_SUITE(BatchAddLanes, Points);

TYPED_TEST(BatchAddLanes, SpecialPairsInAnyLaneAreAnsweredAmongOrdinaryOnes) {
  using P = TypeParam;
  using C = std::conditional_t<std::is_same_v<P, algebra::Bn254::G1> || std::is_same_v<P, algebra::Bn254::G2>,
                               algebra::Bn254, algebra::Bls12_381>;
  using S = algebra::Xyzz<typename P::Coordinate>;
  std::vector<P> g;
  S sum = S::infinity();
  for (std::size_t k = 0; k < 64; ++k) {
    g.push_back(sum.to_affine());
    if constexpr (std::is_same_v<P, typename C::G1>)
      sum.add(C::g1_generator());
    else
      sum.add(C::g2_generator());
  }
  for (const std::size_t count : {16u, 17u, 23u, 24u, 31u, 40u}) {
    for (std::size_t step = 1; step <= 7; ++step) {
      std::vector<P> left(count), right(count), out(count);
      for (std::size_t k = 0; k < count; ++k) {
        left[k] = g[k % 13 + 1];
        right[k] = g[k % 11 + 20];
        if (k % step != 0) continue;
        const P special[4] = {left[k], -left[k], P::infinity(), right[k]};
        right[k] = special[k / step % 4];
        if (k / step % 8 > 4) left[k] = P::infinity();
      }
      BatchAdder<P> adder;
      adder.add(
          count, [&](std::size_t k) -> const P& { return left[k]; },
          [&](std::size_t k) -> const P& { return right[k]; }, [&](std::size_t k) -> P& { return out[k]; });
      for (std::size_t k = 0; k < count; ++k) {
        S expected = S::from(left[k]);
        expected.add(right[k]);
        ASSERT_EQ(out[k], expected.to_affine()) << k << " of " << count << ", every " << step;
      }
    }
  }
}

TEST(BatchAdd, ResultsMayReplaceTheirOperands) {
  const std::vector<Point> g = multiples(101);
  std::vector<Point> sums(g.begin(), g.begin() + 50);
  BatchAdder<Point> adder;
  adder.add(
      50, [&](std::size_t k) -> const Point& { return sums[k]; },
      [&](std::size_t k) -> const Point& { return g[k + 1]; },
      [&](std::size_t k) -> Point& { return sums[k]; });
  for (std::size_t k = 0; k < 50; ++k) EXPECT_EQ(sums[k], g[2 * k + 1]);
}

TEST(BucketTree, SumsRunsOfAnyLength) {
  const std::vector<Point> g = multiples(900);
  for (const std::size_t run : {1u, 2u, 3u, 7u, 64u, 900u}) {
    BucketTree<Point> tree;
    for (int round = 0; round < 2; ++round) {  // the second time on used memory
      tree.clear(g.size());
      for (std::size_t i = 0; i < g.size(); ++i) tree.push(static_cast<std::uint32_t>(i / run), g[i]);
      tree.sum_runs();
      ASSERT_EQ(tree.keys().size(), (g.size() + run - 1) / run);
      for (std::size_t key = 0; key < tree.keys().size(); ++key) {
        ASSERT_EQ(tree.keys()[key], key);
        Sum expected = Sum::infinity();
        for (std::size_t i = key * run; i < std::min((key + 1) * run, g.size()); ++i) expected.add(g[i]);
        ASSERT_EQ(tree.points()[key], expected.to_affine()) << run;
      }
    }
  }
}

TEST(BucketTree, EqualAndOppositePointsMeetAtEveryLevel) {
  const std::vector<Point> g = multiples(3);
  BucketTree<Point> tree;
  tree.clear(4096);
  for (std::uint32_t i = 0; i < 1024; ++i) tree.push(0, g[1]);                       // all equal: 1024 G
  for (std::uint32_t i = 0; i < 1024; ++i) tree.push(1, i % 2 == 0 ? g[1] : -g[1]);  // cancels at level 0
  for (std::uint32_t i = 0; i < 1024; ++i) tree.push(2, i % 4 < 2 ? g[2] : -g[2]);   // cancels at level 1
  for (std::uint32_t i = 0; i < 1024; ++i) tree.push(3, i < 512 ? g[2] : -g[2]);  // cancels at the last level
  tree.sum_runs();
  ASSERT_EQ(tree.keys().size(), 4u);
  EXPECT_EQ(tree.points()[0], small_multiple(Sum::from(g[1]), 1024).to_affine());
  for (std::size_t key = 1; key < 4; ++key) EXPECT_TRUE(tree.points()[key].is_infinity()) << key;
}

TEST(BucketReduction, WeighsEveryBucketByItsPlace) {
  for (const std::size_t buckets : {1u, 2u, 8u, 64u, 512u, 4096u}) {
    std::vector<Point> points = multiples(buckets);
    for (std::size_t i = 0; i < buckets; i += 3) points[i] = Point::infinity();
    Sum weighted = Sum::infinity(), plain = Sum::infinity();
    for (std::size_t b = buckets; b-- > 0;) {
      plain.add(points[b]);
      weighted.add(plain);
    }
    BucketReducer<Point> reducer;
    const BucketPiece<Point> piece = reducer.reduce(points).front();
    EXPECT_EQ(piece.plain, plain) << buckets;
    EXPECT_EQ(piece.weighted, weighted) << buckets;
  }
}

TEST(BucketReduction, PiecesThatReduceTogetherGiveWhatTheyGiveAlone) {
  const std::vector<Point> points = multiples(5 * 256);
  BucketReducer<Point> together, alone;
  const auto results = together.reduce(points, 5);
  ASSERT_EQ(results.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto one = alone.reduce(std::span(points).subspan(i * 256, 256)).front();
    EXPECT_EQ(results[i].plain, one.plain) << i;
    EXPECT_EQ(results[i].weighted, one.weighted) << i;
  }
}

TEST(BucketReduction, EmptyAndEqualBucketsAreFine) {
  BucketReducer<Point> reducer;
  EXPECT_TRUE(reducer.reduce(std::vector<Point>(1024, Point::infinity())).front().weighted.is_infinity());
  const Point g = algebra::Bn254::g1_generator();
  const BucketPiece<Point> piece = reducer.reduce(std::vector<Point>(1024, g)).front();
  EXPECT_EQ(piece.weighted, small_multiple(Sum::from(g), 1024 * 1025 / 2));
  EXPECT_EQ(piece.plain, small_multiple(Sum::from(g), 1024));
}

TEST(FixedBase, AgreesWithDoubleAndAddOnEdgeScalars) {
  ThreadTeam team(2);
  const Point g = algebra::Bn254::g1_generator();
  const FixedBase<Fr, Point> base(team, g);
  std::vector<Fr> scalars = {
      Fr::zero(),         Fr::one(),          -Fr::one(),         Fr::from_u64(2047),
      Fr::from_u64(2048), Fr::from_u64(2049), Fr::from_u64(4096), Fr::from_u64(2).inverse(),
      -Fr::from_u64(2048)};
  for (std::uint64_t i = 1; i < 40; ++i) scalars.push_back(Fr::from_u64(i * 0x9e3779b97f4a7c15).inverse());
  std::vector<Point> out(scalars.size());
  base.multiply(team, scalars, out);
  for (std::size_t i = 0; i < scalars.size(); ++i)
    EXPECT_EQ(out[i], algebra::scalar_multiply<Sum>(g, scalars[i].to_limbs()).to_affine()) << i;
}

}  // namespace
}  // namespace penstock::groth16
