#include <gtest/gtest.h>

#include <random>

#include "common/algebra/binary_inverse.hpp"
#include "common/algebra/curves.hpp"
#include "tests/unit/groth16/toy_field.hpp"

namespace penstock::algebra {
namespace {

template <class F>
class BinaryInverse : public ::testing::Test {};
using Fields =
    ::testing::Types<Bn254::Fp, Bn254::Fr, Bls12_381::Fp, Bls12_381::Fr, groth16::testing::ToyField>;
TYPED_TEST_SUITE(BinaryInverse, Fields);

TYPED_TEST(BinaryInverse, AgreesWithTheFermatPowerOnEdgesAndRandomValues) {
  using F = TypeParam;
  const auto expect = [](const F& value) { ASSERT_EQ(binary_inverse(value), value.inverse()); };
  for (const std::uint64_t small : {0u, 1u, 2u, 3u, 4u, 96u}) {
    expect(F::from_u64(small));
    expect(-F::from_u64(small));
    expect(F::from_montgomery({small}));
  }
  F power = F::one();
  for (int bit = 0; bit < 400; ++bit, power = power.doubled()) {
    expect(power);
    expect(-power);
    expect(power + F::one());
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) expect((F::from_u64(random()) * power + F::from_u64(random())).square());
}

TEST(BinaryInverseToy, EveryElementHasItsInverse) {
  using F = groth16::testing::ToyField;
  for (std::uint64_t i = 1; i < 97; ++i)
    EXPECT_TRUE((binary_inverse(F::from_u64(i)) * F::from_u64(i)).is_one()) << i;
}

TEST(BinaryInverseFp2, TimesTheValueIsOne) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 50; ++i) {
    const Bls12_381::Fp2 value{Bls12_381::Fp::from_u64(random()).inverse(),
                               Bls12_381::Fp::from_u64(random())};
    EXPECT_TRUE((binary_inverse(value) * value).is_one());
  }
  EXPECT_TRUE(binary_inverse(Bn254::Fp2::zero()).is_zero());
}

}  // namespace
}  // namespace penstock::algebra
