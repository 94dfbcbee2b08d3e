#include <limits>
#include <vector>

#include "tests/unit/algebra/algebra_support.hpp"

namespace penstock::algebra::testing {
namespace {

template <class Case>
class PrimeField : public OnPath<Case> {
 protected:
  using Element = typename Case::Type;
  const mpz_class p = modulus_of<Element>();

  /// Values at which carries, borrows and the last subtraction change.
  std::vector<mpz_class> edges() const {
    const mpz_class r = mpz_class(1) << (64 * Element::limb_count);
    std::vector<mpz_class> values = {0,           1,           2,     p - 1,     p - 2,
                                     (p - 1) / 2, (p + 1) / 2, r % p, r * r % p, (r - 1) % p};
    for (int bit = 63; bit < 64 * Element::limb_count; bit += 64) {
      const mpz_class power = mpz_class(1) << bit;
      for (const mpz_class& near : {mpz_class(power - 1), power, mpz_class(power + 1), mpz_class(p - power)})
        if (near > 0 && near < p) values.push_back(near);
    }
    mpz_class r_inverse;
    mpz_invert(r_inverse.get_mpz_t(), r.get_mpz_t(), p.get_mpz_t());
    for (int i = 0; i < 4; ++i) {  // Montgomery residues of 1, 2, p - 1, p - 2
      const mpz_class residue = i < 2 ? mpz_class(1 + i) : mpz_class(p - (i - 1));
      values.push_back(residue * r_inverse % p);
    }
    return values;
  }
  std::vector<mpz_class> samples(int random_count) {
    std::vector<mpz_class> values = edges();
    for (int i = 0; i < random_count; ++i) values.push_back(to_mpz(random_field<Element>(this->random)));
    return values;
  }
};

using Fields =
    ::testing::Types<On<Bn254::Fp, ProductPath::portable>, On<Bn254::Fp, ProductPath::adx>,
                     On<Bn254::Fr, ProductPath::portable>, On<Bn254::Fr, ProductPath::adx>,
                     On<Bls12_381::Fp, ProductPath::portable>, On<Bls12_381::Fp, ProductPath::adx>,
                     On<Bls12_381::Fr, ProductPath::portable>, On<Bls12_381::Fr, ProductPath::adx>>;
TYPED_TEST_SUITE(PrimeField, Fields);

TYPED_TEST(PrimeField, has_an_odd_prime_modulus_with_a_free_top_bit) {
  EXPECT_NE(mpz_probab_prime_p(this->p.get_mpz_t(), 40), 0);
  EXPECT_EQ(mpz_sizeinbase(this->p.get_mpz_t(), 2),
            static_cast<std::size_t>(TypeParam::Type::modulus_bits()));
  EXPECT_LT(TypeParam::Type::modulus_bits(), 64 * TypeParam::Type::limb_count);
}

TYPED_TEST(PrimeField, adds_subtracts_and_multiplies_as_gmp_does) {
  using F = typename TypeParam::Type;
  const auto values = this->samples(60);
  for (const auto& a : values) {
    const F fa = to_field<F>(a);
    for (const auto& b : values) {
      const F fb = to_field<F>(b);
      ASSERT_EQ(to_mpz(fa + fb), (a + b) % this->p);
      ASSERT_EQ(to_mpz(fa - fb), (a + this->p - b) % this->p);
      ASSERT_EQ(to_mpz(fa * fb), a * b % this->p);
    }
    ASSERT_EQ(to_mpz(fa.square()), a * a % this->p);
    ASSERT_EQ(to_mpz(fa.doubled()), 2 * a % this->p);
    ASSERT_EQ(fa.halved().doubled(), fa);
    ASSERT_EQ(to_mpz(-fa), (this->p - a) % this->p);
  }
}

TYPED_TEST(PrimeField, multiplies_many_random_pairs_as_gmp_does) {
  using F = typename TypeParam::Type;
  for (int i = 0; i < 20000; ++i) {
    const F a = random_field<F>(this->random), b = random_field<F>(this->random);
    ASSERT_EQ(to_mpz(a * b), to_mpz(a) * to_mpz(b) % this->p);
  }
}

TYPED_TEST(PrimeField, keeps_every_result_canonical) {
  using F = typename TypeParam::Type;
  const auto values = this->samples(40);
  for (const auto& a : values)
    for (const auto& b : values) {
      const F fa = to_field<F>(a), fb = to_field<F>(b);
      for (const F& result : {fa + fb, fa - fb, fa * fb, -fa, fa.doubled(), fa.halved(), fa.square()})
        ASSERT_TRUE(F::is_canonical(result.montgomery_limbs()));
    }
}

TYPED_TEST(PrimeField, lets_a_result_be_its_own_operand) {
  using F = typename TypeParam::Type;
  const F a = random_field<F>(this->random), b = random_field<F>(this->random);
  F x = a;
  x *= x;
  EXPECT_EQ(x, a * a);
  x = a;
  x += x;
  EXPECT_EQ(x, a.doubled());
  x = a;
  x -= x;
  EXPECT_TRUE(x.is_zero());
  x = b;
  x = a * x;
  EXPECT_EQ(x, a * b);
  x = b;
  x = a - x;
  EXPECT_EQ(x, -(b - a));
}

TYPED_TEST(PrimeField, obeys_the_laws_of_a_field) {
  using F = typename TypeParam::Type;
  for (int i = 0; i < 200; ++i) {
    const F a = random_field<F>(this->random), b = random_field<F>(this->random),
            c = random_field<F>(this->random);
    ASSERT_EQ((a * b) * c, a * (b * c));
    ASSERT_EQ(a * (b + c), a * b + a * c);
    ASSERT_EQ((a + b) - b, a);
    ASSERT_EQ((a + b).square(), a.square() + (a * b).doubled() + b.square());
    ASSERT_EQ(a * F::one(), a);
    ASSERT_TRUE((a - a).is_zero());
    ASSERT_TRUE((a * a.inverse()).is_one());
  }
}

TYPED_TEST(PrimeField, inverts_the_edges_and_maps_zero_to_zero) {
  using F = typename TypeParam::Type;
  EXPECT_TRUE(F::zero().inverse().is_zero());
  for (const auto& a : this->edges()) {
    if (a == 0) continue;
    mpz_class expected;
    mpz_invert(expected.get_mpz_t(), a.get_mpz_t(), this->p.get_mpz_t());
    ASSERT_EQ(to_mpz(to_field<F>(a).inverse()), expected);
  }
}

TYPED_TEST(PrimeField, inverts_many_values_as_a_fermat_power_does) {
  using F = typename TypeParam::Type;
  const auto fermat = exponent(this->p - 2);
  for (int i = 0; i < 2000; ++i) {
    F a = random_field<F>(this->random);
    if (i % 2 == 1) {  // a short or a sparse residue
      auto limbs = a.montgomery_limbs();
      for (std::size_t k = 0; k < limbs.size(); ++k)
        if ((this->random() & 1) != 0) limbs[k] = 0;
      a = F::from_montgomery(limbs);
    }
    ASSERT_EQ(a.inverse(), a.pow(fermat));
  }
  constexpr F three_inverse = F::from_u64(3).inverse();
  EXPECT_TRUE((three_inverse * F::from_u64(3)).is_one());
}

TYPED_TEST(PrimeField, inverts_powers_of_two_and_their_neighbours) {
  using F = typename TypeParam::Type;
  for (int bit = 0; bit < F::modulus_bits(); ++bit)
    for (const mpz_class& near : {mpz_class(mpz_class(1) << bit), mpz_class((mpz_class(1) << bit) - 1),
                                  mpz_class(this->p - (mpz_class(1) << bit))}) {
      if (near <= 0 || near >= this->p) continue;
      const F a = F::from_montgomery(to_limbs<F::limb_count>(near));
      ASSERT_TRUE((a * a.inverse()).is_one()) << bit;
    }
}

TYPED_TEST(PrimeField, inverts_a_batch_around_its_zeros) {
  using F = typename TypeParam::Type;
  for (const std::size_t size : {0, 1, 2, 7, 64}) {
    std::vector<F> values(size), inverses;
    for (std::size_t i = 0; i < size; ++i) values[i] = i % 3 == 1 ? F::zero() : random_field<F>(this->random);
    inverses = values;
    batch_inverse(std::span<F>(inverses));
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(inverses[i], values[i].inverse());
  }
}

TYPED_TEST(PrimeField, raises_to_powers_as_gmp_does) {
  using F = typename TypeParam::Type;
  const F a = random_field<F>(this->random);
  for (const mpz_class& e :
       {mpz_class(0), mpz_class(1), mpz_class(65537), mpz_class(this->p - 1), mpz_class(this->p * this->p)}) {
    mpz_class expected;
    const mpz_class base = to_mpz(a);
    mpz_powm(expected.get_mpz_t(), base.get_mpz_t(), e.get_mpz_t(), this->p.get_mpz_t());
    ASSERT_EQ(to_mpz(a.pow(exponent(e))), expected);
  }
  EXPECT_TRUE(F::zero().pow(exponent(0)).is_one());
}

TYPED_TEST(PrimeField, finds_a_square_root_exactly_when_there_is_one) {
  using F = typename TypeParam::Type;
  EXPECT_TRUE(F::zero().sqrt().has_value());
  EXPECT_TRUE(F::zero().sqrt()->is_zero());
  EXPECT_FALSE(F::from_u64(F::Params::non_residue).sqrt().has_value());
  for (const auto& a : this->samples(30)) {
    const F element = to_field<F>(a);
    const auto root = element.sqrt();
    const bool is_square = mpz_legendre(a.get_mpz_t(), this->p.get_mpz_t()) >= 0;
    ASSERT_EQ(root.has_value(), is_square);
    if (root) {
      ASSERT_EQ(root->square(), element);
    }
  }
}

TYPED_TEST(PrimeField, converts_integers_and_limbs) {
  using F = typename TypeParam::Type;
  EXPECT_EQ(to_mpz(F::from_u64(~std::uint64_t{0})), (mpz_class(1) << 64) - 1);
  EXPECT_EQ(to_mpz(F::from_i64(-1)), this->p - 1);
  EXPECT_EQ(to_mpz(F::from_i64(std::numeric_limits<std::int64_t>::min())), this->p - (mpz_class(1) << 63));
  EXPECT_EQ(F::from_i64(7), F::from_u64(7));
  EXPECT_TRUE(F::from_u64(1).is_one());
  const F a = random_field<F>(this->random);
  EXPECT_EQ(F::from_limbs(a.to_limbs()), a);
  EXPECT_EQ(F::from_montgomery(a.montgomery_limbs()), a);
  const mpz_class r = mpz_class(1) << (64 * F::limb_count);
  EXPECT_EQ(to_mpz(a.montgomery_limbs()), to_mpz(a) * r % this->p);
}

TYPED_TEST(PrimeField, calls_canonical_only_what_is_below_the_modulus) {
  using F = typename TypeParam::Type;
  constexpr std::size_t n = F::limb_count;
  EXPECT_TRUE(F::is_canonical(to_limbs<n>(this->p - 1)));
  EXPECT_FALSE(F::is_canonical(to_limbs<n>(this->p)));
  EXPECT_FALSE(F::is_canonical(to_limbs<n>(this->p + 1)));
  EXPECT_FALSE(F::is_canonical(to_limbs<n>((mpz_class(1) << (64 * static_cast<int>(n))) - 1)));
  EXPECT_TRUE(F::is_canonical({}));
}

TYPED_TEST(PrimeField, computes_the_same_at_compile_time) {
  using F = typename TypeParam::Type;
  constexpr F product = F::from_u64(1000003) * F::from_u64(998244353) - F::from_u64(5);
  EXPECT_EQ(product, F::from_u64(1000003) * F::from_u64(998244353) - F::from_u64(5));
  EXPECT_EQ(to_mpz(product), mpz_class(1000003) * 998244353 - 5);
}

template <class Case>
class ScalarField : public OnPath<Case> {};
TYPED_TEST_SUITE(ScalarField, CurveCases);

TYPED_TEST(ScalarField, has_snarkjs_roots_of_unity) {
  using C = typename TypeParam::Type;
  using Fr = typename C::Fr;
  const mpz_class odd = (modulus_of<Fr>() - 1) >> C::two_adicity;
  EXPECT_EQ(mpz_class(odd % 2), 1);
  EXPECT_EQ(C::root_of_unity(C::two_adicity), Fr::from_u64(5).pow(exponent(odd)));
  EXPECT_TRUE(C::root_of_unity(0).is_one());
  EXPECT_EQ(C::root_of_unity(1), -Fr::one());
  for (int k = 1; k <= C::two_adicity; ++k) ASSERT_EQ(C::root_of_unity(k).square(), C::root_of_unity(k - 1));
}

TYPED_TEST(ScalarField, shifts_a_domain_by_the_next_root_or_by_twenty_five) {
  using C = typename TypeParam::Type;
  EXPECT_EQ(C::coset_shift(3), C::root_of_unity(4));
  EXPECT_EQ(C::coset_shift(C::two_adicity - 1), C::root_of_unity(C::two_adicity));
  EXPECT_EQ(C::coset_shift(C::two_adicity), C::Fr::from_u64(25));
}

TEST(ProductPaths, are_named_and_selected) {
  EXPECT_EQ(name(ProductPath::adx), "adx");
  select_product(ProductPath::portable);
  EXPECT_EQ(active_product(), ProductPath::portable);
  select_product(best_product());
  EXPECT_EQ(active_product(), best_product());
}

}  // namespace
}  // namespace penstock::algebra::testing
