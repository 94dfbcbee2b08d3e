#include "tests/unit/algebra/algebra_support.hpp"

namespace penstock::algebra::testing {
namespace {

template <class Case>
class Tower : public OnPath<Case> {
 protected:
  using BaseField = typename Case::Type::Fp;
  using Quadratic = Fp2<BaseField>;
  using Sextic = Fp6<BaseField>;
  using Dodecic = Fp12<BaseField>;
  Quadratic fp2() { return random_fp2<BaseField>(this->random); }
  Sextic fp6() { return {fp2(), fp2(), fp2()}; }
  Dodecic fp12() { return {fp6(), fp6()}; }
};
TYPED_TEST_SUITE(Tower, CurveCases);

template <class E>
void expect_laws(const E& a, const E& b, const E& c) {
  ASSERT_EQ((a * b) * c, a * (b * c));
  ASSERT_EQ(a * b, b * a);
  ASSERT_EQ(a * (b + c), a * b + a * c);
  ASSERT_EQ(a.square(), a * a);
  ASSERT_EQ((a - b) + b, a);
  ASSERT_TRUE((a + -a).is_zero());
  ASSERT_TRUE((a * a.inverse()).is_one());
  ASSERT_EQ(a * E::one(), a);
  ASSERT_TRUE(E::zero().inverse().is_zero());
}

TYPED_TEST(Tower, obeys_the_laws_of_a_field_at_every_storey) {
  for (int i = 0; i < 50; ++i) {
    expect_laws(this->fp2(), this->fp2(), this->fp2());
    expect_laws(this->fp6(), this->fp6(), this->fp6());
    expect_laws(this->fp12(), this->fp12(), this->fp12());
  }
}

TYPED_TEST(Tower, multiplies_in_fp2_as_the_schoolbook_does_at_the_edges) {
  using Fp = typename TypeParam::Type::Fp;
  const mpz_class p = modulus_of<Fp>();
  std::vector<Fp> edges;
  for (const mpz_class& v :
       {mpz_class(0), mpz_class(1), mpz_class(p - 1), mpz_class((p - 1) / 2), mpz_class((p + 1) / 2)})
    edges.push_back(to_field<Fp>(v));
  Fp largest{};  // the largest Montgomery residue
  largest = Fp::from_montgomery(to_limbs<Fp::limb_count>(p - 1));
  edges.push_back(largest);
  edges.push_back(random_field<Fp>(this->random));
  for (const Fp& a0 : edges)
    for (const Fp& a1 : edges)
      for (const Fp& b0 : edges)
        for (const Fp& b1 : edges) {
          const Fp2<Fp> a{a0, a1}, b{b0, b1};
          const Fp2<Fp> product = a * b;
          ASSERT_EQ(product.c0, a0 * b0 - a1 * b1);
          ASSERT_EQ(product.c1, a0 * b1 + a1 * b0);
          ASSERT_TRUE(Fp::is_canonical(product.c0.montgomery_limbs()));
          ASSERT_TRUE(Fp::is_canonical(product.c1.montgomery_limbs()));
        }
}

TYPED_TEST(Tower, lets_an_fp2_result_be_its_own_operand) {
  auto a = this->fp2();
  const auto b = this->fp2(), expected = a * b, squared = b * b;
  a *= b;
  EXPECT_EQ(a, expected);
  auto c = b;
  c *= c;
  EXPECT_EQ(c, squared);
}

TYPED_TEST(Tower, is_built_on_u_squared_minus_one_and_the_non_residue) {
  using Fp = typename TypeParam::Type::Fp;
  const Fp2<Fp> u{Fp::zero(), Fp::one()};
  EXPECT_EQ(u.square(), -Fp2<Fp>::one());
  const Fp2<Fp> xi{Fp::from_u64(Fp::Params::tower_xi_c0), Fp::one()};
  const auto a = this->fp2();
  EXPECT_EQ(a.mul_by_nonresidue(), a * xi);
  EXPECT_FALSE(xi.sqrt().has_value());
  const Fp6<Fp> v{Fp2<Fp>::zero(), Fp2<Fp>::one(), Fp2<Fp>::zero()};
  const auto six = this->fp6();
  EXPECT_EQ(six.mul_by_nonresidue(), six * v);
  EXPECT_EQ(v * v * v, (Fp6<Fp>{xi, Fp2<Fp>::zero(), Fp2<Fp>::zero()}));
  const Fp12<Fp> w{Fp6<Fp>::zero(), Fp6<Fp>::one()};
  EXPECT_EQ(w * w, (Fp12<Fp>{v, Fp6<Fp>::zero()}));
}

TYPED_TEST(Tower, finds_square_roots_in_fp2) {
  using Fp = typename TypeParam::Type::Fp;
  for (int i = 0; i < 20; ++i) {
    const auto a = this->fp2();
    const auto root = a.square().sqrt();
    ASSERT_TRUE(root.has_value());
    ASSERT_EQ(root->square(), a.square());
  }
  for (const auto& real :
       {Fp::zero(), Fp::one(), -Fp::one(), Fp::from_u64(2), Fp::from_u64(3), -Fp::from_u64(2)}) {
    const Fp2<Fp> a{real, Fp::zero()};
    ASSERT_TRUE(a.sqrt().has_value());
    ASSERT_EQ(a.sqrt()->square(), a);
  }
}

TYPED_TEST(Tower, multiplies_by_sparse_elements_as_by_full_ones) {
  using F2 = Fp2<typename TypeParam::Type::Fp>;
  using F6 = Fp6<typename TypeParam::Type::Fp>;
  const auto f = this->fp12();
  const auto six = this->fp6();
  const auto a = this->fp2(), b = this->fp2(), c = this->fp2();
  const F2 zero = F2::zero();
  EXPECT_EQ(six.mul_by_01(a, b), six * (F6{a, b, zero}));
  EXPECT_EQ(six.mul_by_1(b), six * (F6{zero, b, zero}));
  EXPECT_EQ(f.mul_by_014(a, b, c), f * (typename TestFixture::Dodecic{{a, b, zero}, {zero, c, zero}}));
  EXPECT_EQ(f.mul_by_034(a, b, c), f * (typename TestFixture::Dodecic{{a, zero, zero}, {b, c, zero}}));
}

TYPED_TEST(Tower, conjugates_fp2_as_the_frobenius_does) {
  using Fp = typename TypeParam::Type::Fp;
  const auto a = this->fp2();
  EXPECT_EQ(a.conjugate(), a.pow(exponent(modulus_of<Fp>())));
}

}  // namespace
}  // namespace penstock::algebra::testing
