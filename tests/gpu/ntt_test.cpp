// Transforms on the device against the host's and against evaluation by Horner's rule.
#include "cuda/ntt/ntt.hpp"

#include "common/groth16/ntt.hpp"
#include "tests/gpu/gpu_fixture.hpp"

namespace penstock::test {
namespace {

template <class C>
class DeviceTransform : public Gpu {
 protected:
  using Element = typename C::Fr;

  static std::vector<Element> random_vector(std::size_t size, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Element> values(size);
    for (Element& value : values) value = random_element<Element>(random);
    return values;
  }
  std::vector<Element> run(const std::vector<Element>& input, int log2n, int polynomials,
                           std::initializer_list<ntt::Transform> kinds) {
    auto data = to_device(stream_, heap_, input);
    const cuda::DeviceBuffer<Element> twiddles(heap_, std::size_t{1} << log2n);
    ntt::make_twiddles(stream_, twiddles.data(), log2n, C::root_of_unity(log2n + 1));
    for (const ntt::Transform kind : kinds)
      ntt::transform(stream_, kind, data.data(), twiddles.data(), log2n, polynomials);
    return to_host(stream_, data.data(), input.size());
  }

  cuda::DeviceHeap heap_{std::uint64_t{8} << 30};
  StreamOnUse stream_;
};
class LargestTransform : public Gpu {
 protected:
  cuda::DeviceHeap heap_{std::uint64_t{16} << 30};
  StreamOnUse stream_;
};

using Curves = testing::Types<algebra::Bn254, algebra::Bls12_381>;
TYPED_TEST_SUITE(DeviceTransform, Curves);

TYPED_TEST(DeviceTransform, EqualsTheHostsFromEvaluationsToTheCosetForEverySize) {
  using Fr = typename TypeParam::Fr;
  groth16::ThreadTeam team;
  for (const int log2n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 20, 21}) {
    const std::size_t n = std::size_t{1} << log2n;
    std::vector<Fr> values = TestFixture::random_vector(3 * n, static_cast<std::uint64_t>(log2n));
    const std::vector<Fr> device =
        TestFixture::run(values, log2n, 3, {ntt::Transform::inverse, ntt::Transform::coset_forward});
    const groth16::NttDomain<Fr> domain(team, log2n,
                                        {TypeParam::root_of_unity(log2n), TypeParam::coset_shift(log2n)});
    const std::span<Fr> polynomials[3] = {
        {values.data(), n}, {values.data() + n, n}, {values.data() + 2 * n, n}};
    domain.evaluations_to_coefficients(team, polynomials);
    domain.coefficients_to_coset(team, polynomials);
    ASSERT_TRUE(device == values) << "size 2^" << log2n;
  }
}

TYPED_TEST(DeviceTransform, GivesTheSameByATableOfTheDomainsRoot) {
  using Fr = typename TypeParam::Fr;
  for (const int log2n : {1, 2, 3, 9, 12, 17, 20}) {
    const std::size_t n = std::size_t{1} << log2n;
    const std::vector<Fr> values = TestFixture::random_vector(2 * n, 8);
    const cuda::DeviceBuffer<Fr> twiddles(TestFixture::heap_, n / 2);
    ntt::make_twiddles(TestFixture::stream_, twiddles.data(), log2n - 1, TypeParam::root_of_unity(log2n));
    for (const ntt::Transform kind : {ntt::Transform::forward, ntt::Transform::inverse}) {
      const auto data = to_device(TestFixture::stream_, TestFixture::heap_, values);
      ntt::transform<Fr>(TestFixture::stream_, kind, data.data(), twiddles.data(), log2n, 2,
                         ntt::Table::of_the_domain);
      ASSERT_TRUE(to_host(TestFixture::stream_, data.data(), 2 * n) ==
                  TestFixture::run(values, log2n, 2, {kind}))
          << "size 2^" << log2n;
    }
  }
}

/// The largest domain of BN254: coefficients 1, 2, 3 at places far apart, whose values are known.
TEST_F(LargestTransform, EvaluatesAtEveryPlaceThatIsLookedAt) {
  using Fr = algebra::Bn254::Fr;
  constexpr int log2n = algebra::Bn254::two_adicity;
  constexpr std::size_t n = std::size_t{1} << log2n;
  const std::size_t places[] = {0, 12345678, n - 2};
  const cuda::DeviceBuffer<Fr> twiddles(heap_, n / 2), data(heap_, n);
  ntt::make_twiddles(stream_, twiddles.data(), log2n - 1, algebra::Bn254::root_of_unity(log2n));
  cuda::fill_zero(stream_, data.data(), data.size_bytes());
  const Fr coefficients[] = {Fr::from_u64(1), Fr::from_u64(2), Fr::from_u64(3)};
  for (std::size_t k = 0; k < 3; ++k)
    cuda::copy_to_device(stream_, data.data() + places[k], &coefficients[k], sizeof(Fr));
  ntt::transform(stream_, ntt::Transform::forward, data.data(), twiddles.data(), log2n, 1,
                 ntt::Table::of_the_domain);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{98765432}, n / 2, n - 1}) {
    Fr value = Fr::zero();
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint64_t exponent[1] = {i * places[k]};  // below 2^56
      value += coefficients[k] * algebra::Bn254::root_of_unity(log2n).pow(exponent);
    }
    std::size_t reversed = 0;
    for (int bit = 0; bit < log2n; ++bit) reversed |= ((i >> bit) & 1) << (log2n - 1 - bit);
    ASSERT_EQ(to_host(stream_, data.data() + reversed, 1).front(), value) << "point " << i;
  }
}

TYPED_TEST(DeviceTransform, ForwardEvaluatesOnTheDomainInReversedOrder) {
  using Fr = typename TypeParam::Fr;
  for (const int log2n : {1, 2, 5, 10, 13, 20}) {
    const std::size_t n = std::size_t{1} << log2n;
    const std::vector<Fr> values = TestFixture::random_vector(n, 7);
    const std::vector<Fr> device = TestFixture::run(values, log2n, 1, {ntt::Transform::forward});
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, n / 2, n - 1}) {
      const std::uint64_t exponent[1] = {i};
      const Fr x = TypeParam::root_of_unity(log2n).pow(exponent);
      Fr value = Fr::zero();
      for (std::size_t k = n; k-- > 0;) value = value * x + values[k];
      std::size_t reversed = 0;
      for (int bit = 0; bit < log2n; ++bit) reversed |= ((i >> bit) & 1) << (log2n - 1 - bit);
      ASSERT_EQ(device[reversed], value) << "size 2^" << log2n << ", point " << i;
    }
  }
}

}  // namespace
}  // namespace penstock::test
