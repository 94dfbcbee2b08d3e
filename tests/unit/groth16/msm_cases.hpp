// What every MSM must get right; included by one file per group, so that they compile apart.
// Points are known multiples of the generator, so one scalar multiplication tells the expected sum.
#pragma once

#include <gtest/gtest.h>

#include "common/groth16/fixed_base.hpp"
#include "common/groth16/msm.hpp"
#include "common/groth16/point_table.hpp"
#include "tests/support/groth16/random_r1cs.hpp"

namespace penstock::groth16::testing {

template <class CurveT, class PointT>
struct Group {
  using Curve = CurveT;
  using Point = PointT;
};

template <class GroupT>
class Msm : public ::testing::Test {
 protected:
  using C = typename GroupT::Curve;
  using Fr = typename C::Fr;
  using Point = typename GroupT::Point;
  using Sum = algebra::Xyzz<typename Point::Coordinate>;
  using Scalars = std::vector<circuit::Scalar>;

  static Point generator() {
    if constexpr (std::is_same_v<Point, typename C::G1>)
      return C::g1_generator();
    else
      return C::g2_generator();
  }

  void make_points(std::size_t count) {
    logs_.resize(count);
    for (Fr& log : logs_) log = Fr::from_limbs(random_scalar(C::id, random_));
    set_points();
  }
  void set_points() {
    points_.resize(logs_.size());
    ThreadTeam team(1);
    static const FixedBase<Fr, Point> base(team, generator());
    base.multiply(team, logs_, points_);
  }
  Scalars random_scalars(std::size_t count) {
    Scalars scalars(count);
    for (auto& scalar : scalars) scalar = random_scalar(C::id, random_);
    return scalars;
  }
  static Scalars repeated(std::size_t count, const Fr& value) { return Scalars(count, value.to_limbs()); }

  void expect_sum(const Scalars& scalars, const char* what, std::initializer_list<int> windows = {0},
                  std::uint32_t first_scalar = 0) {
    Fr log = Fr::zero();
    for (std::size_t i = first_scalar; i < scalars.size(); ++i)
      log += Fr::from_limbs(scalars[i]) * logs_[i - first_scalar];
    const Sum expected = algebra::scalar_multiply<Sum>(generator(), log.to_limbs());
    std::vector<std::uint64_t> finite((points_.size() + 63) / 64);
    for (std::size_t i = 0; i < points_.size(); ++i)
      finite[i / 64] |= std::uint64_t{!points_[i].is_infinity()} << (i % 64);
    for (const int threads : {1, 3}) {
      ThreadTeam team(threads);
      for (const int bits : windows)
        for (const bool mapped : {false, true}) {
          MsmQuery<Point> query{std::span<const Point>(points_), {}, first_scalar};
          if (mapped) query.finite = finite;
          EXPECT_EQ((msm<C, Point>(team, std::span<const circuit::Scalar>(scalars), query, bits)), expected)
              << what << ", n = " << scalars.size() << ", window " << bits << ", threads " << threads;
        }
    }
  }

  /// The same sum over a table, in rows a little longer than needed.
  void expect_table_sum(const Scalars& scalars, int window_bits, std::uint32_t first_scalar) {
    Fr log = Fr::zero();
    for (std::size_t i = first_scalar; i < scalars.size(); ++i)
      log += Fr::from_limbs(scalars[i]) * logs_[i - first_scalar];
    for (const int threads : {1, 3}) {
      ThreadTeam team(threads);
      const MsmPlan plan = plan_with_window(window_bits, folded_scalar_bits(C::id));
      const PointTable<Point> table(team, std::span<const Point>(points_), plan, scalars.size());
      MsmScalars digits;
      digits.load(team, C::id, std::span<const circuit::Scalar>(scalars), table.window_bits());
      WindowLists lists;
      MsmWorkspace<Point> workspace(team);
      std::vector<Sum> sums(1, Sum::infinity());
      const MsmQuery<Point> query{table.points(), table.finite(), first_scalar};
      for (int first = 0; first < digits.plan().windows; first += 5) {
        lists.build(team, digits, first, std::min(5, digits.plan().windows - first), table.stride());
        workspace.add_windows(team, lists, query, sums);
      }
      EXPECT_EQ(sums[0], algebra::scalar_multiply<Sum>(generator(), log.to_limbs()))
          << "n = " << scalars.size() << ", window " << window_bits << ", threads " << threads;
    }
  }

  std::mt19937_64 random_{11};
  std::vector<Fr> logs_;
  std::vector<Point> points_;
};
TYPED_TEST_SUITE_P(Msm);

TYPED_TEST_P(Msm, OverATableOfEveryWindow) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{63}, std::size_t{700}}) {
    this->make_points(count);
    for (std::size_t i = 0; i < count; i += 5) this->logs_[i] = TestFixture::Fr::zero();  // infinities
    this->set_points();
    auto scalars = this->random_scalars(count);
    for (std::size_t i = 0; i < count; i += 3) scalars[i] = {i % 2, 0, 0, 0};
    scalars.back() = (-TestFixture::Fr::one()).to_limbs();
    for (const int bits : {4, 9}) this->expect_table_sum(scalars, bits, 0);
    auto shifted = this->random_scalars(3);
    shifted.insert(shifted.end(), scalars.begin(), scalars.end());
    this->expect_table_sum(shifted, 7, 3);
  }
}

TYPED_TEST_P(Msm, AgreesWithDoubleAndAddForEverySmallLength) {
  for (std::size_t n = 0; n <= 130; ++n) {
    this->make_points(n);
    this->expect_sum(this->random_scalars(n), "random");
  }
}

TYPED_TEST_P(Msm, AgreesWithDoubleAndAddAroundPowersOfTwo) {
  for (const std::size_t n : {255u, 256u, 257u, 1023u, 1024u, 1025u, 4095u, 4096u, 4097u}) {
    this->make_points(n);
    this->expect_sum(this->random_scalars(n), "random");
  }
}

TYPED_TEST_P(Msm, AgreesForEveryWindowSize) {
  this->make_points(1500);
  this->expect_sum(this->random_scalars(1500), "random", {2, 3, 4, 5, 7, 8, 11, 14});
}

TYPED_TEST_P(Msm, UniformScalarsAreOneBucket) {
  using F = typename TestFixture::Fr;
  this->make_points(9000);
  this->expect_sum(this->repeated(9000, F::zero()), "all zero");
  this->expect_sum(this->repeated(9000, F::one()), "all one");
  this->expect_sum(this->repeated(9000, -F::one()), "all r - 1");
  this->expect_sum(this->repeated(9000, F::from_u64(2).inverse()), "all (r + 1)/2");
  this->expect_sum(this->repeated(9000, -F::from_u64(2).inverse()), "all (r - 1)/2");
  this->expect_sum(this->repeated(9000, F::from_u64(777)), "one bucket", {0, 11});
}

TYPED_TEST_P(Msm, SparseAndSkewedScalarsAreFine) {
  using F = typename TestFixture::Fr;
  this->make_points(9000);
  auto scalars = this->repeated(9000, F::zero());
  for (std::size_t i = 0; i < scalars.size(); i += 100)
    scalars[i] = random_scalar(TestFixture::C::id, this->random_);
  this->expect_sum(scalars, "99% zeros");
  for (std::size_t i = 0; i < scalars.size(); ++i)
    if (i % 100 != 0) scalars[i] = {this->random_() % 2};
  this->expect_sum(scalars, "mostly bits");
  for (std::size_t i = 0; i < scalars.size(); ++i) scalars[i] = {this->random_() % 256};
  this->expect_sum(scalars, "bytes");
}

TYPED_TEST_P(Msm, DigitsOnTheBordersOfAWindowAndCarriesAreRight) {
  using F = typename TestFixture::Fr;
  std::vector<F> values;
  for (const int bits : {3, 8, 13}) {
    F digit = F::from_u64(std::uint64_t{1} << (bits - 1)), ones = F::one();
    for (int bit = 0; bit + bits < F::modulus_bits(); bit += bits) {
      for (const F& value : {digit, -digit, digit + F::one(), digit - F::one(), ones})
        values.push_back(value);
      for (int i = 0; i < bits; ++i) digit = digit.doubled(), ones = ones.doubled() + F::one();
    }
  }
  this->make_points(values.size());
  typename TestFixture::Scalars scalars;
  for (const F& value : values) scalars.push_back(value.to_limbs());
  this->expect_sum(scalars, "borders", {0, 3, 8, 13});
}

TYPED_TEST_P(Msm, InfinitiesEqualAndOppositePointsAreFine) {
  using F = typename TestFixture::Fr;
  for (const std::size_t n : {40u, 3000u}) {
    this->make_points(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 5 == 1) this->logs_[i] = F::zero();  // infinity
      if (i % 5 == 2) this->logs_[i] = F::one();   // all equal
      if (i % 5 == 3) this->logs_[i] = -F::one();  // opposite to those
    }
    this->set_points();
    this->expect_sum(this->random_scalars(n), "mixed", {0, 4, 8});
    this->expect_sum(this->repeated(n, F::one()), "mixed ones");
    for (std::size_t i = 0; i < n; ++i) this->logs_[i] = i % 2 == 0 ? F::one() : -F::one();
    this->set_points();
    this->expect_sum(this->repeated(n, F::from_u64(5)), "sum is infinity", {0, 4});
    for (auto& log : this->logs_) log = F::zero();
    this->set_points();
    this->expect_sum(this->random_scalars(n), "nothing but infinity");
  }
}

TYPED_TEST_P(Msm, ScalarsBelowTheFirstHaveNoPoint) {
  for (const std::uint32_t first : {1u, 7u, 1000u}) {
    this->make_points(2000 - first);
    this->expect_sum(this->random_scalars(2000), "offset", {0, 6}, first);
  }
}

REGISTER_TYPED_TEST_SUITE_P(Msm, OverATableOfEveryWindow, AgreesWithDoubleAndAddForEverySmallLength,
                            AgreesWithDoubleAndAddAroundPowersOfTwo, AgreesForEveryWindowSize,
                            UniformScalarsAreOneBucket, SparseAndSkewedScalarsAreFine,
                            DigitsOnTheBordersOfAWindowAndCarriesAreRight,
                            InfinitiesEqualAndOppositePointsAreFine, ScalarsBelowTheFirstHaveNoPoint);

}  // namespace penstock::groth16::testing
