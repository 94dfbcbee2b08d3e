// What the algebra suites share: numbers from GMP, seeded elements and points, and types that pair a field or
// a curve with a product path.
#pragma once

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/algebra/product_path.hpp"

namespace penstock::algebra::testing {

/// A field or curve, and the product path its tests run on.
template <class T, ProductPath product_path>
struct On {
  using Type = T;
  static constexpr ProductPath path = product_path;
};

template <class Case>
class OnPath : public ::testing::Test {
 protected:
  using Type = typename Case::Type;
  void SetUp() override {
    select_product(Case::path);
    if (active_product() != Case::path) GTEST_SKIP() << "this processor has no " << name(Case::path);
  }
  void TearDown() override { select_product(best_product()); }
  std::mt19937_64 random{20240817};
};

using CurveCases = ::testing::Types<On<Bn254, ProductPath::portable>, On<Bn254, ProductPath::adx>,
                                    On<Bls12_381, ProductPath::portable>, On<Bls12_381, ProductPath::adx>>;

template <std::size_t n>
mpz_class to_mpz(const std::array<std::uint64_t, n>& limbs) {
  mpz_class value;
  mpz_import(value.get_mpz_t(), n, -1, 8, 0, 0, limbs.data());
  return value;
}
template <class F>
mpz_class to_mpz(const F& element) requires requires {
  F::modulus();
}
{ return to_mpz(element.to_limbs()); }
template <class F>
mpz_class modulus_of() {
  return to_mpz(F::modulus());
}
/// The limbs of a number in [0, 2^(64n)).
template <std::size_t n>
std::array<std::uint64_t, n> to_limbs(const mpz_class& value) {
  std::array<std::uint64_t, n> limbs{};
  mpz_export(limbs.data(), nullptr, -1, 8, 0, 0, value.get_mpz_t());
  return limbs;
}
/// The element of any integer.
template <class F>
F to_field(const mpz_class& value) {
  mpz_class reduced;
  const mpz_class p = modulus_of<F>();
  mpz_mod(reduced.get_mpz_t(), value.get_mpz_t(), p.get_mpz_t());
  return F::from_limbs(to_limbs<F::limb_count>(reduced));
}
template <class F>
F from_decimal(const char* text) {
  return to_field<F>(mpz_class(text));
}
/// A big exponent as limbs of its own length.
inline std::vector<std::uint64_t> exponent(const mpz_class& value) {
  std::vector<std::uint64_t> limbs(mpz_size(value.get_mpz_t()));
  mpz_export(limbs.data(), nullptr, -1, 8, 0, 0, value.get_mpz_t());
  return limbs;
}

template <class F, class Random>
F random_field(Random& random) {
  mpz_class value;
  for (int i = 0; i < F::limb_count + 1; ++i) {
    const std::array<std::uint64_t, 1> limb = {random()};
    value = (value << 64) + to_mpz(limb);
  }
  return to_field<F>(value);
}
template <class F, class Random>
Fp2<F> random_fp2(Random& random) {
  return {random_field<F>(random), random_field<F>(random)};
}

/// A random element of whatever the coordinate field is.
template <class F, class Random>
F random_coordinate(Random& random) {
  if constexpr (requires { F::modulus(); })
    return random_field<F>(random);
  else
    return random_fp2<typename F::Base>(random);
}

/// A point of the curve y² = x³ + b that is as good as never in the subgroup when there is a cofactor.
template <class Point, class Random>
Point random_curve_point(const typename Point::Coordinate& b, Random& random) {
  for (;;) {
    const auto x = random_coordinate<typename Point::Coordinate>(random);
    if (const auto y = (x.square() * x + b).sqrt()) return {x, *y};
  }
}
template <class Sum, class Fr, class Random>
typename Sum::Point random_multiple(const typename Sum::Point& generator, Random& random) {
  return scalar_multiply<Sum, Fr>(generator, random_field<Fr>(random).to_limbs()).to_affine();
}

}  // namespace penstock::algebra::testing
