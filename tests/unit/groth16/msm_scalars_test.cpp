#include "common/groth16/msm_scalars.hpp"

#include <gtest/gtest.h>

#include <map>

#include "common/groth16/window_lists.hpp"
#include "tests/support/groth16/random_r1cs.hpp"

namespace penstock::groth16 {
namespace {

using circuit::Scalar;

template <class Fr>
std::vector<Scalar> edge_scalars(int window_bits) {
  std::vector<Scalar> scalars;
  const auto add = [&](const Fr& value) {
    scalars.push_back(value.to_limbs());
    scalars.push_back((-value).to_limbs());
  };
  add(Fr::zero());
  add(Fr::one());
  add(Fr::from_u64(2).inverse());  // (r + 1)/2 and (r - 1)/2: the fold's border
  add(Fr::from_u64(std::uint64_t{1} << (window_bits - 1)));
  add(Fr::from_u64((std::uint64_t{1} << (window_bits - 1)) - 1));
  add(Fr::from_u64((std::uint64_t{1} << (window_bits - 1)) + 1));
  Fr power = Fr::one(), ones = Fr::zero();
  for (int bit = 0; bit < Fr::modulus_bits() - 1; ++bit, power = power.doubled()) {
    ones += power;
    if (bit % window_bits == window_bits - 1 || bit > 240) add(power);
    if (bit % 31 == 30) add(ones);  // a carry through every window below
  }
  return scalars;
}

template <class C>
void digits_sum_to_the_scalars(int window_bits) {
  using Fr = typename C::Fr;
  std::vector<Scalar> scalars = edge_scalars<Fr>(window_bits);
  std::mt19937_64 random(3);
  for (int i = 0; i < 20; ++i) scalars.push_back(testing::random_scalar(C::id, random));
  ThreadTeam team(2);
  MsmScalars digits;
  digits.load(team, C::id, std::span<const Scalar>(scalars), window_bits);
  std::vector<Fr> sums(scalars.size(), Fr::zero());
  Fr weight = Fr::one();
  for (int window = 0; window < digits.plan().windows; ++window) {
    for (std::size_t part = 0; part < digits.parts(); ++part)
      digits.for_each_digit(part, window, [&](std::uint32_t index, std::int32_t digit) {
        ASSERT_NE(digit, 0);
        ASSERT_LE(std::abs(digit), 1 << (window_bits - 1)) << "window " << window;
        sums[index] += weight * Fr::from_i64(digit);
      });
    for (int i = 0; i < window_bits; ++i) weight = weight.doubled();
  }
  for (std::size_t i = 0; i < scalars.size(); ++i)
    ASSERT_EQ(sums[i].to_limbs(), scalars[i]) << window_bits << " " << i;
}

TEST(MsmScalars, DigitsSumToTheScalarForEveryWindowSize) {
  for (int bits = 2; bits <= max_window_bits; ++bits) {
    digits_sum_to_the_scalars<algebra::Bn254>(bits);
    digits_sum_to_the_scalars<algebra::Bls12_381>(bits);
  }
}

TEST(MsmScalars, MinusOneIsOneDigit) {
  using Fr = algebra::Bn254::Fr;
  ThreadTeam team(1);
  const std::vector<Scalar> scalars(100, (-Fr::one()).to_limbs());
  MsmScalars digits;
  digits.load(team, CurveId::bn254, std::span<const Scalar>(scalars), 10);
  for (int window = 0; window < digits.plan().windows; ++window) {
    int seen = 0;
    digits.for_each_digit(0, window, [&](std::uint32_t, std::int32_t digit) {
      EXPECT_EQ(digit, -1);
      ++seen;
    });
    EXPECT_EQ(seen, window == 0 ? 100 : 0);
  }
}

TEST(WindowLists, SortEveryDigitOnceWhateverTheParts) {
  std::mt19937_64 random(5);
  std::vector<Scalar> scalars;
  for (int i = 0; i < 50'000; ++i)
    scalars.push_back(i % 3 == 0 ? Scalar{random() % 2} : testing::random_scalar(CurveId::bn254, random));
  for (const int threads : {1, 4}) {
    ThreadTeam team(threads);
    MsmScalars digits;
    digits.load(team, CurveId::bn254, std::span<const Scalar>(scalars), 8);
    EXPECT_GT(digits.parts(), 1u);
    WindowLists lists;
    for (const int first : {0, 5, 31}) {
      lists.build(team, digits, first, 1);
      std::map<std::pair<std::uint32_t, bool>, std::size_t> expected, actual;  // (index, negative) -> bucket
      for (std::size_t part = 0; part < digits.parts(); ++part)
        digits.for_each_digit(part, first, [&](std::uint32_t index, std::int32_t digit) {
          expected[{index, digit < 0}] = static_cast<std::size_t>(std::abs(digit) - 1);
        });
      const auto offsets = lists.offsets(0);
      const auto entries = lists.entries(0);
      for (std::size_t bucket = 0; bucket < lists.buckets(); ++bucket)
        for (std::uint32_t i = offsets[bucket]; i < offsets[bucket + 1]; ++i)
          actual[{entries[i] >> 1, (entries[i] & 1) != 0}] = bucket;
      EXPECT_EQ(entries.size(), expected.size());
      EXPECT_EQ(actual, expected);
    }
  }
}

}  // namespace
}  // namespace penstock::groth16
