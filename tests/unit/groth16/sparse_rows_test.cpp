#include "common/groth16/sparse_rows.hpp"

#include <gtest/gtest.h>

#include "tests/support/groth16/random_r1cs.hpp"

namespace penstock::groth16 {
namespace {

using Fr = algebra::Bn254::Fr;
using circuit::Coefficient;
using circuit::Scalar;

class Rows : public ::testing::Test {
 protected:
  Rows() {
    for (std::uint32_t i = 0; i < signals; ++i)
      witness_.push_back(i % 4 == 0 ? Scalar{} : testing::random_scalar(CurveId::bn254, random_));
  }
  void add(std::uint32_t matrix, std::uint32_t row, std::uint32_t signal, const Fr& value) {
    const auto squared = Fr::from_limbs(value.montgomery_limbs()).montgomery_limbs();
    entries_.push_back({matrix, row, signal, {squared[0], squared[1], squared[2], squared[3]}});
    naive_[matrix][row] += value * Fr::from_limbs(witness_[signal]);
  }
  Fr random_value() { return Fr::from_limbs(testing::random_scalar(CurveId::bn254, random_)); }
  void expect_products() {
    for (const int threads : {1, 3}) {
      ThreadTeam team(threads);
      const SparseRows rows{team, CurveId::bn254, std::span<const Coefficient>(entries_), count};
      std::vector<Fr> a(count, Fr::from_u64(99)), b(count, Fr::from_u64(98));
      rows.multiply<Fr>(team, std::span<const Scalar>(witness_), a, b);
      EXPECT_EQ(a, naive_[0]);
      EXPECT_EQ(b, naive_[1]);
    }
  }
  static constexpr std::uint32_t count = 64, signals = 50;
  std::mt19937_64 random_{1};
  std::vector<Scalar> witness_;
  std::vector<Coefficient> entries_;
  std::vector<Fr> naive_[2] = {std::vector<Fr>(count, Fr::zero()), std::vector<Fr>(count, Fr::zero())};
};

TEST_F(Rows, NoEntriesAtAllGiveZeros) {
  expect_products();
}

TEST_F(Rows, UnsortedRepeatedAndZeroEntriesAddUp) {
  for (int i = 0; i < 1000; ++i)
    add(static_cast<std::uint32_t>(random_() % 2), static_cast<std::uint32_t>(random_() % count),
        static_cast<std::uint32_t>(random_() % signals), i % 7 == 0 ? Fr::zero() : random_value());
  for (int i = 0; i < 5; ++i) add(1, 3, 7, Fr::one());
  expect_products();
}

TEST_F(Rows, ALongRowIsSharedByManyTasks) {
  add(0, 0, 1, Fr::one());
  for (int i = 0; i < 100'000; ++i)
    add(0, 5, static_cast<std::uint32_t>(i) % signals, Fr::from_u64(static_cast<std::uint64_t>(i)));
  add(0, 6, 2, Fr::one());
  add(1, 63, 3, -Fr::one());
  expect_products();
}

TEST_F(Rows, OnesAndMinusOnesAmongOtherValues) {
  for (int i = 0; i < 3000; ++i) {
    const auto signal = static_cast<std::uint32_t>(random_() % signals);
    const Fr values[4] = {Fr::one(), -Fr::one(), Fr::from_u64(2), random_value()};
    add(0, static_cast<std::uint32_t>(i) % 7, signal, values[random_() % 4]);
  }
  for (int i = 0; i < 6; ++i) add(1, 9, 5, i % 2 == 0 ? Fr::one() : -Fr::one());  // cancels to zero
  expect_products();
}

TEST_F(Rows, MoreDistinctValuesThanTheTableHasSlots) {
  for (int i = 0; i < 150'000; ++i)
    add(1, 2, static_cast<std::uint32_t>(i) % signals, Fr::from_u64(static_cast<std::uint64_t>(i % 9000)));
  expect_products();
  ThreadTeam team(3);
  const SparseRows rows{team, CurveId::bn254, std::span<const Coefficient>(entries_), count};
  const std::size_t values = 9000 + 1;  // each once; 1 is listed anyway, and so is -1
  EXPECT_EQ(rows.size_bytes(), (2 * count + 1) * 4 + entries_.size() * 8 + values * 32);
}

TEST_F(Rows, RowsThatEndWithATaskAreNotCutTwice) {
  for (std::uint32_t row = 0; row < 4; ++row)
    for (std::uint32_t i = 0; i < 8192; ++i) add(0, row, i % signals, Fr::from_u64(i));
  for (std::uint32_t i = 0; i < 8193; ++i) add(1, 10, i % signals, Fr::from_u64(i));
  expect_products();
}

}  // namespace
}  // namespace penstock::groth16
