#include <gtest/gtest.h>

#include <random>

#include <gmpxx.h>

#include "common/algebra/curves.hpp"

using namespace penstock::algebra;

template <class C>
class Curve : public testing::Test {};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(Curve, Curves);

template <class F>
void quick(int rounds) {
  std::mt19937_64 g(1);
  mpz_class p;
  auto m = F::modulus();
  mpz_import(p.get_mpz_t(), m.size(), -1, 8, 0, 0, m.data());
  gmp_randclass r(gmp_randinit_default);
  auto toF = [&](const mpz_class& v) { typename F::Limbs l{}; mpz_export(l.data(), nullptr, -1, 8, 0, 0, v.get_mpz_t()); return F::from_limbs(l); };
  for (int i = 0; i < rounds; ++i) {
    mpz_class a = r.get_z_range(p), b = r.get_z_range(p);
    mpz_class ab = a * b % p, s = (a + b) % p, d = (a + p - b) % p;
    ASSERT_EQ(toF(ab), toF(a) * toF(b));
    ASSERT_EQ(toF(s), toF(a) + toF(b));
    ASSERT_EQ(toF(d), toF(a) - toF(b));
    ASSERT_TRUE((toF(a) * toF(a).inverse()).is_one());
    F q = toF(a).square();
    auto rt = q.sqrt();
    ASSERT_TRUE(rt.has_value());
    ASSERT_EQ(rt->square(), q);
    Fp2<F> u{toF(a), toF(b)}, v{toF(b), toF(ab)};
    ASSERT_EQ((u * v).c0, u.c0 * v.c0 - u.c1 * v.c1);
    ASSERT_EQ((u * v).c1, u.c0 * v.c1 + u.c1 * v.c0);
    ASSERT_EQ(u.square(), u * u);
  }
}

TYPED_TEST(Curve, quick) {
  using C = TypeParam;
  for (auto path : {ProductPath::portable, ProductPath::adx}) {
    select_product(path);
    quick<typename C::Fp>(200);
    quick<typename C::Fr>(200);
    EXPECT_TRUE(C::on_curve(C::g1_generator()));
    EXPECT_TRUE(C::on_curve(C::g2_generator()));
    EXPECT_TRUE(C::in_subgroup(C::g1_generator()));
    EXPECT_TRUE(C::in_subgroup(C::g2_generator()));
    EXPECT_TRUE((scalar_multiply<typename C::G1Sum, typename C::Fr>(C::g1_generator(), C::Fr::modulus()).is_infinity()));
    EXPECT_TRUE((scalar_multiply<typename C::G2Sum>(C::g2_generator(), C::Fr::modulus()).is_infinity()));
    EXPECT_TRUE(C::root_of_unity(0).is_one());
    EXPECT_EQ(C::root_of_unity(1), -C::Fr::one());
  }
}
