#include <cstring>

#include "tests/unit/algebra/algebra_support.hpp"

namespace penstock::algebra::testing {
namespace {

/// One of a curve's two groups.
template <class C, bool second>
struct Group {
  using Curve = C;
  using Point = std::conditional_t<second, typename C::G2, typename C::G1>;
  using Coordinate = typename Point::Coordinate;
  static Point generator() {
    if constexpr (second)
      return C::g2_generator();
    else
      return C::g1_generator();
  }
  static Coordinate b() {
    if constexpr (second)
      return C::g2_b();
    else
      return C::g1_b();
  }
};

template <class Case>
class CurveGroup : public OnPath<Case> {
 protected:
  using GroupType = typename Case::Type;
  using ScalarType = typename GroupType::Curve::Fr;
  using PointType = typename GroupType::Point;
  using SumType = Xyzz<typename GroupType::Coordinate>;
  using JacobianType = Jacobian<typename GroupType::Coordinate>;
  const PointType g = GroupType::generator();
  PointType some() { return random_multiple<SumType, ScalarType>(g, this->random); }
  static PointType add(const PointType& a, const PointType& b) {
    SumType sum = SumType::from(a);
    sum.add(b);
    return sum.to_affine();
  }
  static PointType multiply(const PointType& a, const mpz_class& k) {
    return scalar_multiply<SumType>(a, to_limbs<8>(k)).to_affine();
  }
};
using Groups = ::testing::Types<
    On<Group<Bn254, false>, ProductPath::portable>, On<Group<Bn254, false>, ProductPath::adx>,
    On<Group<Bn254, true>, ProductPath::portable>, On<Group<Bn254, true>, ProductPath::adx>,
    On<Group<Bls12_381, false>, ProductPath::portable>, On<Group<Bls12_381, false>, ProductPath::adx>,
    On<Group<Bls12_381, true>, ProductPath::portable>, On<Group<Bls12_381, true>, ProductPath::adx>>;
TYPED_TEST_SUITE(CurveGroup, Groups);

TYPED_TEST(CurveGroup, has_a_generator_of_order_r_on_the_curve) {
  using C = typename TypeParam::Type::Curve;
  EXPECT_TRUE(C::on_curve(this->g));
  EXPECT_FALSE(this->g.is_infinity());
  EXPECT_TRUE(C::in_subgroup(this->g));
  EXPECT_TRUE((scalar_multiply<typename TestFixture::SumType, typename C::Fr>(this->g, C::Fr::modulus())
                   .is_infinity()));
  EXPECT_TRUE((scalar_multiply<typename TestFixture::JacobianType, typename C::Fr>(this->g, C::Fr::modulus())
                   .is_infinity()));
}

TYPED_TEST(CurveGroup, adds_points_that_stay_on_the_curve_whatever_the_coordinates) {
  using C = typename TypeParam::Type::Curve;
  using Sum = typename TestFixture::SumType;
  using Jac = typename TestFixture::JacobianType;
  for (int i = 0; i < 10; ++i) {
    const auto a = this->some(), b = this->some();
    Sum mixed = Sum::from(a), full = Sum::from(a);
    mixed.add(b);
    Sum scaled_b = Sum::from(b);  // another representative of b
    scaled_b.double_in_place();
    scaled_b.add(-b);
    full.add(scaled_b);
    Jac jacobian_mixed = Jac::from(a), jacobian_full = Jac::from(a), jacobian_b = Jac::from(b);
    jacobian_mixed.add(b);
    jacobian_b.double_in_place();
    jacobian_b.add(-b);
    jacobian_full.add(jacobian_b);
    // the textbook's chord
    const auto slope = (b.y - a.y) * (b.x - a.x).inverse();
    const auto x = slope.square() - a.x - b.x;
    const typename TestFixture::PointType expected{x, slope * (a.x - x) - a.y};
    ASSERT_TRUE(C::on_curve(expected));
    ASSERT_EQ(mixed.to_affine(), expected);
    ASSERT_EQ(full.to_affine(), expected);
    ASSERT_EQ(mixed, full);
    ASSERT_EQ(jacobian_mixed.to_affine(), expected);
    ASSERT_EQ(jacobian_full.to_affine(), expected);
    ASSERT_EQ(jacobian_mixed, jacobian_full);
  }
}

TYPED_TEST(CurveGroup, doubles_as_the_tangent_does) {
  const auto a = this->some();
  const auto xx = a.x.square();
  const auto slope = (xx.doubled() + xx) * a.y.doubled().inverse();
  const auto x = slope.square() - a.x.doubled();
  const typename TestFixture::PointType expected{x, slope * (a.x - x) - a.y};
  auto sum = TestFixture::SumType::from(a);
  sum.add(a);
  EXPECT_EQ(sum.to_affine(), expected);
  auto other = TestFixture::SumType::from(a);
  other.add(TestFixture::SumType::from(a));
  EXPECT_EQ(other.to_affine(), expected);
  other = TestFixture::SumType::from(a);
  other.double_in_place();
  EXPECT_EQ(other.to_affine(), expected);
  auto jacobian = TestFixture::JacobianType::from(a);
  jacobian.add(a);
  EXPECT_EQ(jacobian.to_affine(), expected);
  auto full = TestFixture::JacobianType::from(a);
  full.add(TestFixture::JacobianType::from(a));
  EXPECT_EQ(full.to_affine(), expected);
}

TYPED_TEST(CurveGroup, doubles_equal_points_with_different_representatives) {
  using Sum = typename TestFixture::SumType;
  using Jac = typename TestFixture::JacobianType;
  const auto a = this->some(), b = this->some();
  Sum left = Sum::from(b);  // a as b + (a - b), with ZZ other than one
  left.add(TestFixture::add(a, -b));
  Sum twice = left;
  twice.add(a);
  Sum full = left;
  full.add(Sum::from(a));
  Sum expected = Sum::from(a);
  expected.double_in_place();
  EXPECT_EQ(twice, expected);
  EXPECT_EQ(full, expected);
  left.add(-a);
  EXPECT_TRUE(left.is_infinity());
  Jac jacobian = Jac::from(b);
  jacobian.add(TestFixture::add(a, -b));
  Jac jacobian_twice = jacobian;
  jacobian_twice.add(a);
  EXPECT_EQ(jacobian_twice.to_affine(), expected.to_affine());
  jacobian.add(-Jac::from(a));
  EXPECT_TRUE(jacobian.is_infinity());
}

TYPED_TEST(CurveGroup, treats_infinity_as_the_neutral_element) {
  using C = typename TypeParam::Type::Curve;
  using Point = typename TestFixture::PointType;
  using Sum = typename TestFixture::SumType;
  using Jac = typename TestFixture::JacobianType;
  const auto a = this->some();
  EXPECT_TRUE(Point::infinity().is_infinity());
  EXPECT_TRUE((-Point::infinity()).is_infinity());
  EXPECT_TRUE(C::on_curve(Point::infinity()));
  EXPECT_TRUE(C::in_subgroup(Point::infinity()));
  EXPECT_TRUE(Sum::infinity().to_affine().is_infinity());
  EXPECT_TRUE(Jac::infinity().to_affine().is_infinity());
  EXPECT_EQ(TestFixture::add(a, Point::infinity()), a);
  EXPECT_EQ(TestFixture::add(Point::infinity(), a), a);
  EXPECT_TRUE(TestFixture::add(a, -a).is_infinity());
  Sum sum = Sum::from(a);
  sum.add(Sum::infinity());
  EXPECT_EQ(sum.to_affine(), a);
  sum = Sum::infinity();
  sum.double_in_place();
  EXPECT_TRUE(sum.is_infinity());
  sum.add(Sum::infinity());
  EXPECT_TRUE(sum.is_infinity());
  sum.add(Sum::from(a));
  EXPECT_EQ(sum.to_affine(), a);
  Jac jacobian = Jac::infinity();
  jacobian.double_in_place();
  jacobian.add(Jac::infinity());
  EXPECT_TRUE(jacobian.is_infinity());
  jacobian.add(a);
  EXPECT_EQ(jacobian.to_affine(), a);
  EXPECT_NE(Sum::from(a), Sum::infinity());
}

TYPED_TEST(CurveGroup, is_associative_and_commutative) {
  const auto a = this->some(), b = this->some(), c = this->some();
  EXPECT_EQ(TestFixture::add(TestFixture::add(a, b), c), TestFixture::add(a, TestFixture::add(b, c)));
  EXPECT_EQ(TestFixture::add(a, b), TestFixture::add(b, a));
}

TYPED_TEST(CurveGroup, multiplies_by_scalars_at_the_edges) {
  using C = typename TypeParam::Type::Curve;
  const mpz_class r = modulus_of<typename C::Fr>();
  const auto a = this->some();
  EXPECT_TRUE(TestFixture::multiply(a, 0).is_infinity());
  EXPECT_EQ(TestFixture::multiply(a, 1), a);
  EXPECT_EQ(TestFixture::multiply(a, r - 1), -a);
  EXPECT_EQ(TestFixture::multiply(a, r + 1), a);
  const auto half = TestFixture::multiply(a, (r + 1) / 2);
  EXPECT_EQ(TestFixture::add(half, half), a);
  EXPECT_EQ(TestFixture::add(TestFixture::multiply(a, 12345), TestFixture::multiply(a, r - 12344)), a);
}

TYPED_TEST(CurveGroup, converts_a_batch_to_affine_around_infinities) {
  using Sum = typename TestFixture::SumType;
  std::vector<Sum> sums;
  Sum running = Sum::from(this->g);
  for (int i = 0; i < 20; ++i) {
    sums.push_back(i % 4 == 1 ? Sum::infinity() : running);
    running.double_in_place();
  }
  std::vector<typename TestFixture::PointType> affine(sums.size());
  batch_to_affine<typename TypeParam::Type::Coordinate>(sums, affine);
  for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(affine[i], sums[i].to_affine());
}

TYPED_TEST(CurveGroup, has_a_memory_form_that_is_the_files) {
  using Point = typename TestFixture::PointType;
  static_assert(std::is_trivially_copyable_v<Point>);
  static_assert(sizeof(Point) == 2 * TypeParam::Type::Coordinate::size_bytes);
  const Point infinity = Point::infinity();
  const std::vector<unsigned char> zeros(sizeof(Point), 0);
  EXPECT_EQ(std::memcmp(&infinity, zeros.data(), sizeof(Point)), 0);
}

TEST(WithCurve, passes_the_curve_that_the_id_names) {
  const auto id = [](auto curve) { return decltype(curve)::type::id; };
  EXPECT_EQ(with_curve(CurveId::bn254, id), CurveId::bn254);
  EXPECT_EQ(with_curve(CurveId::bls12_381, id), CurveId::bls12_381);
}

}  // namespace
}  // namespace penstock::algebra::testing
