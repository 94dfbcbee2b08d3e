#include "common/algebra/pairing.hpp"

#include "common/algebra/final_exponentiation.hpp"
#include "tests/unit/algebra/algebra_support.hpp"
#include "tests/unit/algebra/pairing_vectors.hpp"

namespace penstock::algebra::testing {
namespace {

template <class Case>
class Pairing : public OnPath<Case> {
 protected:
  using CurveType = typename Case::Type;
  using BaseField = typename CurveType::Fp;
  using ScalarType = typename CurveType::Fr;
  using FirstGroup = typename CurveType::G1;
  using SecondGroup = typename CurveType::G2;
  using Target = typename CurveType::Fp12;
  const FirstGroup g = CurveType::g1_generator();
  const SecondGroup h = CurveType::g2_generator();
  static FirstGroup times(const FirstGroup& point, const ScalarType& k) {
    return scalar_multiply<typename CurveType::G1Sum, ScalarType>(point, k.to_limbs()).to_affine();
  }
  static SecondGroup times(const SecondGroup& point, const ScalarType& k) {
    return scalar_multiply<typename CurveType::G2Sum, ScalarType>(point, k.to_limbs()).to_affine();
  }
  ScalarType scalar() { return random_field<ScalarType>(this->random); }
  Target random_fp12() {
    Target f;
    for (auto* six : {&f.c0, &f.c1})
      for (auto* two : {&six->c0, &six->c1, &six->c2}) *two = random_fp2<BaseField>(this->random);
    return f;
  }
  static const std::array<const char*, 18>& vector() {
    return CurveType::id == CurveId::bn254 ? bn254_alpha_beta : bls12_381_alpha_beta;
  }
};
TYPED_TEST_SUITE(Pairing, CurveCases);

TYPED_TEST(Pairing, gives_snarkjs_value) {
  using Fp = typename TestFixture::BaseField;
  std::size_t next = 0;
  const auto number = [&] { return from_decimal<Fp>(this->vector()[next++]); };
  const auto pair_of = [&] {
    const Fp c0 = number();
    return Fp2<Fp>{c0, number()};
  };
  const Fp alpha_x = number();
  const typename TestFixture::FirstGroup alpha{alpha_x, number()};
  const auto beta_x = pair_of();
  const typename TestFixture::SecondGroup beta{beta_x, pair_of()};
  typename TestFixture::Target expected;
  for (auto* six : {&expected.c0, &expected.c1})
    for (auto* two : {&six->c0, &six->c1, &six->c2}) *two = pair_of();
  using C = typename TestFixture::CurveType;
  ASSERT_TRUE(C::on_curve(alpha));
  ASSERT_TRUE(C::on_curve(beta));
  EXPECT_EQ(pairing<C>(alpha, beta), expected);
}

TYPED_TEST(Pairing, is_the_reduced_pairing_to_a_known_power) {
  using C = typename TestFixture::CurveType;
  const mpz_class p = modulus_of<typename C::Fp>(), r = modulus_of<typename C::Fr>();
  mpz_class full;
  mpz_pow_ui(full.get_mpz_t(), p.get_mpz_t(), 12);
  full = (full - 1) / r;
  const mpz_class x = to_mpz(std::array<std::uint64_t, 1>{C::Params::x});
  const mpz_class k = C::id == CurveId::bn254 ? mpz_class(2 * x * (6 * x * x + 3 * x + 1)) : mpz_class(3);
  const auto f = this->random_fp12();
  EXPECT_EQ(final_exponentiation<C>(f), f.pow(exponent(full)).pow(exponent(k % r)));
}

TYPED_TEST(Pairing, is_bilinear_and_not_degenerate) {
  using C = typename TestFixture::CurveType;
  const auto e = pairing<C>(this->g, this->h);
  EXPECT_FALSE(e.is_one());
  EXPECT_TRUE(e.pow(C::Fr::modulus()).is_one());
  for (int i = 0; i < 3; ++i) {
    const auto a = this->scalar(), b = this->scalar();
    const auto ag = this->times(this->g, a);
    const auto bh = this->times(this->h, b);
    ASSERT_EQ(pairing<C>(ag, bh), e.pow((a * b).to_limbs()));
    ASSERT_EQ(pairing<C>(ag, this->h), pairing<C>(this->g, this->times(this->h, a)));
  }
  EXPECT_EQ(pairing<C>(-this->g, this->h), e.conjugate());
  EXPECT_EQ(pairing<C>(this->g, -this->h), e.conjugate());
}

TYPED_TEST(Pairing, is_one_with_infinity) {
  using C = typename TestFixture::CurveType;
  EXPECT_TRUE(pairing<C>(C::G1::infinity(), this->h).is_one());
  EXPECT_TRUE(pairing<C>(this->g, C::G2::infinity()).is_one());
  EXPECT_TRUE(pairing<C>(C::G1::infinity(), C::G2::infinity()).is_one());
}

TYPED_TEST(Pairing, accepts_a_product_that_is_one_and_no_other) {
  using C = typename TestFixture::CurveType;
  const auto a = this->scalar(), b = this->scalar(), c = this->scalar();
  // e(aG, bH) e(-cG, H) e(G, (c - ab)H) = 1
  std::vector<PointPair<C>> pairs = {{this->times(this->g, a), this->times(this->h, b)},
                                     {-this->times(this->g, c), this->h},
                                     {this->g, this->times(this->h, c - a * b)}};
  EXPECT_TRUE(pairing_product_is_one<C>(pairs));
  pairs.emplace_back(C::G1::infinity(), this->h);
  EXPECT_TRUE(pairing_product_is_one<C>(pairs));
  pairs.emplace_back(this->g, this->h);
  EXPECT_FALSE(pairing_product_is_one<C>(pairs));
  pairs.pop_back();
  pairs[0].first = -pairs[0].first;
  EXPECT_FALSE(pairing_product_is_one<C>(pairs));
  EXPECT_TRUE(pairing_product_is_one<C>({}));
}

TYPED_TEST(Pairing, shares_one_loop_among_pairs_as_if_they_were_apart) {
  using C = typename TestFixture::CurveType;
  std::vector<PointPair<C>> pairs;
  auto expected = TestFixture::Target::one();
  for (int i = 0; i < 3; ++i) {
    pairs.emplace_back(this->times(this->g, this->scalar()), this->times(this->h, this->scalar()));
    expected *= pairing<C>(pairs.back().first, pairs.back().second);
  }
  EXPECT_EQ(final_exponentiation<C>(miller_loop<C>(pairs)), expected);
}

TYPED_TEST(Pairing, maps_by_frobenius_as_powers_of_p_do) {
  using C = typename TestFixture::CurveType;
  const mpz_class p = modulus_of<typename C::Fp>();
  const auto f = this->random_fp12();
  EXPECT_EQ((frobenius<C, 1>(f)), f.pow(exponent(p)));
  EXPECT_EQ((frobenius<C, 2>(f)), f.pow(exponent(p * p)));
  EXPECT_EQ((frobenius<C, 3>(f)), f.pow(exponent(p * p * p)));
  mpz_class p6;
  mpz_pow_ui(p6.get_mpz_t(), p.get_mpz_t(), 6);
  EXPECT_EQ(f.conjugate(), f.pow(exponent(p6)));
}

TYPED_TEST(Pairing, squares_and_inverts_cheaply_in_the_cyclotomic_subgroup) {
  using C = typename TestFixture::CurveType;
  const auto m = easy_part<C>(this->random_fp12());
  EXPECT_EQ(m.cyclotomic_square(), m * m);
  EXPECT_EQ(m.conjugate(), m.inverse());
  const auto power = m.pow(std::array<std::uint64_t, 1>{C::Params::x});
  EXPECT_EQ(power_of_x<C>(m), C::Params::x_is_negative ? power.conjugate() : power);
}

}  // namespace
}  // namespace penstock::algebra::testing
