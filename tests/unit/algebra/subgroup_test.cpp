#include "common/algebra/subgroup.hpp"

#include <cstring>

#include "common/algebra/endomorphism.hpp"
#include "tests/unit/algebra/algebra_support.hpp"

namespace penstock::algebra::testing {
namespace {

mpz_class parameter(std::uint64_t x, bool negative) {
  const mpz_class value = to_mpz(std::array<std::uint64_t, 1>{x});
  return negative ? mpz_class(-value) : value;
}
mpz_class power(const mpz_class& base, unsigned exponent) {
  mpz_class result;
  mpz_pow_ui(result.get_mpz_t(), base.get_mpz_t(), exponent);
  return result;
}
mpz_class bls_g1_cofactor() {
  const mpz_class x = parameter(Bls12_381::Params::x, true);
  return power(x - 1, 2) / 3;
}
mpz_class bls_g2_cofactor() {
  const mpz_class x = parameter(Bls12_381::Params::x, true);
  return (power(x, 8) - 4 * power(x, 7) + 5 * power(x, 6) - 4 * power(x, 4) + 6 * power(x, 3) -
          4 * power(x, 2) - 4 * x + 13) /
         9;
}
mpz_class bn_g2_cofactor() {
  return 2 * modulus_of<Bn254::Fp>() - modulus_of<Bn254::Fr>();
}

template <class Point>
Point multiply(const Point& point, const mpz_class& k) {
  return scalar_multiply<Xyzz<typename Point::Coordinate>>(point, to_limbs<16>(k)).to_affine();
}
template <class Point>
Point add(const Point& a, const Point& b) {
  auto sum = Xyzz<typename Point::Coordinate>::from(a);
  sum.add(b);
  return sum.to_affine();
}

/// The fast test agrees with the order on random points, cleared points, and points of each small order.
template <class C, class Point>
void expect_exact(const typename Point::Coordinate& b, const mpz_class& cofactor, const Point& generator,
                  const std::vector<unsigned>& small_primes) {
  std::mt19937_64 random(7);
  const mpz_class r = modulus_of<typename C::Fr>();
  for (int i = 0; i < 8; ++i) {
    const Point any = random_curve_point<Point>(b, random);
    ASSERT_TRUE(C::on_curve(any));
    ASSERT_TRUE(multiply(any, mpz_class(cofactor * r)).is_infinity());
    ASSERT_EQ(C::in_subgroup(any), multiply(any, r).is_infinity());
    ASSERT_FALSE(C::in_subgroup(any));
    const Point cleared = multiply(any, cofactor);
    ASSERT_FALSE(cleared.is_infinity());
    ASSERT_TRUE(C::in_subgroup(cleared));
    const Point cofactor_part = multiply(any, r);
    ASSERT_FALSE(C::in_subgroup(cofactor_part));
    ASSERT_FALSE(C::in_subgroup(add(cleared, cofactor_part)));
  }
  for (const unsigned prime : small_primes) {
    ASSERT_EQ(mpz_class(cofactor % prime), 0) << prime;
    mpz_class rest = cofactor * r;
    while (rest % prime == 0) rest /= prime;
    Point small = Point::infinity();
    while (small.is_infinity()) small = multiply(random_curve_point<Point>(b, random), rest);
    for (Point next = multiply(small, prime); !next.is_infinity(); next = multiply(small, prime))
      small = next;
    ASSERT_FALSE(C::in_subgroup(small)) << prime;
    ASSERT_FALSE(C::in_subgroup(add(small, generator))) << prime;
  }
}

TEST(Subgroup, test_on_bls12_381_g1_agrees_with_the_order) {
  expect_exact<Bls12_381, Bls12_381::G1>(Bls12_381::g1_b(), bls_g1_cofactor(), Bls12_381::g1_generator(),
                                         {3, 11, 10177, 859267});
}
TEST(Subgroup, test_on_bls12_381_g2_agrees_with_the_order) {
  expect_exact<Bls12_381, Bls12_381::G2>(Bls12_381::g2_b(), bls_g2_cofactor(), Bls12_381::g2_generator(),
                                         {13, 23, 2713, 11953, 262069});
}
TEST(Subgroup, test_on_bn254_g2_agrees_with_the_order) {
  expect_exact<Bn254, Bn254::G2>(Bn254::g2_b(), bn_g2_cofactor(), Bn254::g2_generator(), {10069, 5864401});
}

TEST(Subgroup, refuses_the_point_of_order_three_on_bls12_381) {
  const Bls12_381::G1 point{Bls12_381::Fp::zero(), Bls12_381::Fp::from_u64(2)};
  ASSERT_TRUE(Bls12_381::on_curve(point));
  EXPECT_FALSE(point.is_infinity());
  EXPECT_TRUE(multiply(point, 3).is_infinity());
  EXPECT_FALSE(Bls12_381::in_subgroup(point));
  EXPECT_FALSE(Bls12_381::in_subgroup(-point));
}

template <class C>
void expect_endomorphisms() {
  const mpz_class p = modulus_of<typename C::Fp>(), r = modulus_of<typename C::Fr>();
  const auto h = C::g2_generator();
  const auto image = psi<C>(h);
  EXPECT_TRUE(C::on_curve(image));
  EXPECT_EQ(image, multiply(h, mpz_class(p % r)));
  EXPECT_TRUE(psi<C>(C::G2::infinity()).is_infinity());
}
TEST(Endomorphism, psi_acts_on_the_subgroup_as_p) {
  expect_endomorphisms<Bn254>();
  expect_endomorphisms<Bls12_381>();
}
TEST(Endomorphism, phi_has_a_cube_root_of_unity_other_than_one) {
  const auto beta = cube_root_of_unity<Bls12_381>();
  EXPECT_FALSE(beta.is_one());
  EXPECT_TRUE((beta.square() * beta).is_one());
}

template <class Point>
std::vector<Point> multiples(const Point& generator, std::size_t count) {
  using Sum = Xyzz<typename Point::Coordinate>;
  std::vector<Sum> sums(count);
  Sum running = Sum::from(generator);
  for (auto& sum : sums) {
    sum = running;
    running.add(generator);
  }
  std::vector<Point> points(count);
  batch_to_affine<typename Point::Coordinate>(sums, points);
  return points;
}
template <class C, class Point>
std::optional<std::size_t> batch(const std::vector<Point>& points, SubgroupCheckOptions options = {}) {
  return find_outside_subgroup<C>(UnalignedSpan<Point>(std::span<const Point>(points)), options);
}

const Bls12_381::G1 order_three{Bls12_381::Fp::zero(), Bls12_381::Fp::from_u64(2)};

TEST(SubgroupBatch, passes_points_of_the_subgroup_among_infinities) {
  auto g1 = multiples(Bls12_381::g1_generator(), 3000);
  auto g2 = multiples(Bls12_381::g2_generator(), 1500);
  auto bn = multiples(Bn254::g2_generator(), 1500);
  for (std::size_t i = 0; i < 1500; i += 3) {
    g1[i] = Bls12_381::G1::infinity();
    g2[i] = Bls12_381::G2::infinity();
    bn[i] = Bn254::G2::infinity();
  }
  for (const unsigned threads : {1U, 2U, 3U}) {
    EXPECT_EQ(batch<Bls12_381>(g1, {.threads = threads}), std::nullopt);
    EXPECT_EQ(batch<Bls12_381>(g2, {.threads = threads}), std::nullopt);
    EXPECT_EQ(batch<Bn254>(bn, {.threads = threads}), std::nullopt);
  }
  EXPECT_EQ(batch<Bn254>(multiples(Bn254::g1_generator(), 10)), std::nullopt);
  EXPECT_EQ(batch<Bls12_381>(std::vector<Bls12_381::G1>{}), std::nullopt);
  EXPECT_EQ(batch<Bls12_381>(std::vector<Bls12_381::G1>(2000, Bls12_381::G1::infinity())), std::nullopt);
}

TEST(SubgroupBatch, names_the_first_point_outside) {
  for (const std::size_t size : {1UL, 5UL, 511UL, 512UL, 700UL}) {
    const auto good = multiples(Bls12_381::g1_generator(), size);
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1})
      for (const unsigned threads : {1U, 2U}) {
        auto points = good;
        points[at] = order_three;
        points[size - 1] = order_three;
        ASSERT_EQ(batch<Bls12_381>(points, {.threads = threads}), at);
      }
  }
}

TEST(SubgroupBatch, refuses_three_points_of_order_three_that_sum_to_infinity_every_time) {
  auto points = multiples(Bls12_381::g1_generator(), 512);
  points[0] = points[1] = points[2] = order_three;
  ASSERT_TRUE(multiply(order_three, 3).is_infinity());
  int refused = 0;
  for (int i = 0; i < 1000; ++i) refused += batch<Bls12_381>(points) == std::optional<std::size_t>(0) ? 1 : 0;
  EXPECT_EQ(refused, 1000);
}

TEST(SubgroupBatch, refuses_few_points_of_order_three_every_time) {
  const std::vector<Bls12_381::G1> three(3, order_three);
  const std::vector<Bls12_381::G1> opposite = {Bls12_381::g1_generator(), order_three, -order_three};
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(batch<Bls12_381>(three), std::optional<std::size_t>(0));
    ASSERT_EQ(batch<Bls12_381>(opposite), std::optional<std::size_t>(1));
  }
}

TEST(SubgroupBatch, refuses_points_off_the_subgroup_in_both_second_groups) {
  std::mt19937_64 random(11);
  auto bn = multiples(Bn254::g2_generator(), 600);
  bn[321] = multiply(random_curve_point<Bn254::G2>(Bn254::g2_b(), random),
                     mpz_class(modulus_of<Bn254::Fr>() * bn_g2_cofactor() / 10069));
  bn[322] = -bn[321];
  EXPECT_EQ(batch<Bn254>(bn, {.threads = 2}), std::optional<std::size_t>(321));
  auto bls = multiples(Bls12_381::g2_generator(), 600);
  bls[17] =
      multiply(random_curve_point<Bls12_381::G2>(Bls12_381::g2_b(), random), modulus_of<Bls12_381::Fr>());
  bls[18] = -bls[17];
  EXPECT_EQ(batch<Bls12_381>(bls), std::optional<std::size_t>(17));
}

TEST(SubgroupBatch, reads_points_at_any_alignment) {
  const auto points = multiples(Bls12_381::g1_generator(), 600);
  std::vector<std::byte> bytes(points.size() * sizeof(points[0]) + 3);
  std::memcpy(bytes.data() + 3, points.data(), bytes.size() - 3);
  const UnalignedSpan<Bls12_381::G1> view(std::span<const std::byte>(bytes).subspan(3));
  EXPECT_EQ(find_outside_subgroup<Bls12_381>(view), std::nullopt);
}

}  // namespace
}  // namespace penstock::algebra::testing
