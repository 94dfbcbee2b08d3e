#include "common/groth16/ntt.hpp"

#include <gtest/gtest.h>

#include <random>

#include "common/groth16/lagrange.hpp"
#include "tests/unit/groth16/toy_field.hpp"

namespace penstock::groth16 {
namespace {

using testing::coset_shift;
using testing::root_of_unity;
using testing::ToyField;

template <class F>
class Ntt : public ::testing::Test {
 protected:
  static int largest_log2() { return std::min(F::Params::two_adicity, 9); }
  std::vector<F> random_values(std::size_t n) {
    std::vector<F> values(n);
    for (F& value : values) value = F::from_u64(random_()) * F::from_u64(random_());
    return values;
  }
  static F evaluate(const std::vector<F>& coefficients, const F& x) {
    F sum = F::zero();
    for (std::size_t i = coefficients.size(); i-- > 0;) sum = sum * x + coefficients[i];
    return sum;
  }
  static std::size_t reversed(std::size_t index, int log2) {
    std::size_t result = 0;
    for (int bit = 0; bit < log2; ++bit) result |= (index >> bit & 1) << (log2 - 1 - bit);
    return result;
  }
  std::mt19937_64 random_{7};
};
using Fields = ::testing::Types<algebra::Bn254::Fr, algebra::Bls12_381::Fr, ToyField>;
TYPED_TEST_SUITE(Ntt, Fields);

TYPED_TEST(Ntt, AgreesWithTheNaiveTransformInBothDirections) {
  using F = TypeParam;
  for (const int threads : {1, 3}) {
    ThreadTeam team(threads);
    for (int log2 = 1; log2 <= this->largest_log2(); ++log2) {
      const std::size_t n = std::size_t{1} << log2;
      const F root = root_of_unity<F>(log2), shift = coset_shift<F>(log2);
      const std::vector<F> coefficients = this->random_values(n);
      std::vector<F> values(n);
      F x = F::one();
      for (std::size_t i = 0; i < n; ++i, x *= root) values[i] = this->evaluate(coefficients, x);
      const NttDomain<F> domain(team, log2, {root, shift});
      const std::span<F> polynomials[] = {values};
      domain.evaluations_to_coefficients(team, polynomials);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(values[this->reversed(i, log2)], coefficients[i] * F::from_u64(n))
            << "2^" << log2 << " " << i;
      domain.coefficients_to_coset(team, polynomials);
      x = shift;
      for (std::size_t i = 0; i < n; ++i, x *= root)
        ASSERT_EQ(values[i], this->evaluate(coefficients, x) * F::from_u64(n)) << "2^" << log2 << " " << i;
    }
  }
}

TYPED_TEST(Ntt, OneIsTheShiftThatGivesTheInverse) {
  using F = TypeParam;
  ThreadTeam team(2);
  const int log2 = this->largest_log2();
  const NttDomain<F> domain(team, log2, {root_of_unity<F>(log2), F::one()});
  const std::vector<F> before = this->random_values(domain.size());
  std::vector<F> values = before;
  const std::span<F> polynomials[] = {values};
  domain.evaluations_to_coefficients(team, polynomials);
  domain.coefficients_to_coset(team, polynomials);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], before[i] * F::from_u64(domain.size()));
}

/// The identity that makes a proof: sum of h_i l_i(tau) (tau^N - 1)/(g^N - 1) = a(tau) b(tau) - c(tau).
TYPED_TEST(Ntt, QuotientOnTheCosetMatchesThePolynomialsAtAnyPoint) {
  using F = TypeParam;
  ThreadTeam team(2);
  for (int log2 = 1; log2 <= this->largest_log2();
       ++log2) {  // the toy field's last one equals its two-adicity
    const F root = root_of_unity<F>(log2), shift = coset_shift<F>(log2);
    const NttDomain<F> domain(team, log2, {root, shift});
    const std::size_t n = domain.size();
    std::vector<F> a = this->random_values(n), b = this->random_values(n), c(n);
    for (std::size_t i = 0; i < n; ++i) c[i] = a[i] * b[i];
    const F tau = F::from_u64(5);  // in the toy field: in neither coset of the largest domain
    const std::uint64_t exponent[] = {n};
    const std::vector<F> on_domain = lagrange_at(team, log2, root, tau);
    const std::vector<F> on_coset = lagrange_at(team, log2, root, tau * shift.inverse());
    const auto at_tau = [&](const std::vector<F>& evaluations) {
      F sum = F::zero();
      for (std::size_t i = 0; i < n; ++i) sum += evaluations[i] * on_domain[i];
      return sum;
    };
    const F expected = at_tau(a) * at_tau(b) - at_tau(c);
    const std::span<F> polynomials[] = {a, b, c};
    domain.evaluations_to_coefficients(team, polynomials);
    domain.coefficients_to_coset(team, polynomials);
    const F by_n = F::from_u64(n).inverse();
    F quotient = F::zero();
    for (std::size_t i = 0; i < n; ++i) quotient += (a[i] * b[i] * by_n * by_n - c[i] * by_n) * on_coset[i];
    EXPECT_EQ(quotient * (tau.pow(exponent) - F::one()), expected * (shift.pow(exponent) - F::one()))
        << "2^" << log2;
  }
}

TYPED_TEST(Ntt, LargeTransformsAreTheSameOnAnyNumberOfThreads) {
  using F = TypeParam;
  if constexpr (F::Params::two_adicity < 15) GTEST_SKIP() << "the toy field has no such domain";
  const int log2 = std::min(15, F::Params::two_adicity);
  ThreadTeam one(1), many(5);
  const NttDomain<F> domain(one, log2, {root_of_unity<F>(log2), coset_shift<F>(log2)});
  const NttDomain<F> same(many, log2, {root_of_unity<F>(log2), coset_shift<F>(log2)});
  std::vector<F> a = this->random_values(domain.size()), b = this->random_values(domain.size());
  std::vector<F> a_many = a, b_many = b;
  const std::span<F> serial[] = {a, b}, parallel[] = {a_many, b_many};
  domain.evaluations_to_coefficients(one, serial);
  same.evaluations_to_coefficients(many, parallel);
  EXPECT_EQ(a, a_many);
  EXPECT_EQ(b, b_many);
  domain.coefficients_to_coset(one, serial);
  same.coefficients_to_coset(many, parallel);
  EXPECT_EQ(a, a_many);
  EXPECT_EQ(b, b_many);
}

}  // namespace
}  // namespace penstock::groth16
