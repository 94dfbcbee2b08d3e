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
