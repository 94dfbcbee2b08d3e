// The inverse of one element by the binary extended Euclidean algorithm: for a single thread that others wait
// for. A Fermat inverse is 570 dependent products of 384 bits (0.35 ms in one thread of an H200); this one is
// about 2 log2(p) halvings and 1.4 log2(p) subtractions, a quarter of the time, and takes no cycle of the
// multiplier. Source: Handbook of Applied Cryptography, algorithm 14.61, for an odd modulus. Variable time:
// bases are public. Shape: Field or Fp2 over it; 0 for 0. Host and device.
#pragma once

#include "common/algebra/field.hpp"
#include "common/algebra/fp2.hpp"

namespace penstock::cuda {

namespace binary {

template <int n>
PENSTOCK_HD bool is_zero(const std::uint64_t (&a)[n]) {
  std::uint64_t any = 0;
  for (int i = 0; i < n; ++i) any |= a[i];
  return any == 0;
}

/// a -= b; the borrow out.
template <int n>
PENSTOCK_HD std::uint64_t subtract(std::uint64_t (&a)[n], const std::uint64_t (&b)[n]) {
  std::uint64_t borrow = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t low = a[i] - b[i];
    const std::uint64_t wrapped = a[i] < b[i] ? 1 : 0;
    a[i] = low - borrow;
    borrow = wrapped | (low < borrow ? 1 : 0);
  }
  return borrow;
}

/// a += b where `mask` is all ones. REQUIRES: no carry out.
template <int n>
PENSTOCK_HD void add_masked(std::uint64_t (&a)[n], const std::uint64_t (&b)[n], std::uint64_t mask) {
  std::uint64_t carry = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t addend = b[i] & mask;
    const std::uint64_t sum = a[i] + addend;
    const std::uint64_t wrapped = sum < addend ? 1 : 0;
    a[i] = sum + carry;
    carry = wrapped | (a[i] < carry ? 1 : 0);
  }
}

template <int n>
PENSTOCK_HD void halve(std::uint64_t (&a)[n]) {
  for (int i = 0; i < n - 1; ++i) a[i] = (a[i] >> 1) | (a[i + 1] << 63);
  a[n - 1] >>= 1;
}

/// While `value` is even: value /= 2 and cofactor /= 2 modulo p. REQUIRES: 2p fits the limbs.
template <int n>
PENSTOCK_HD void strip_twos(std::uint64_t (&value)[n], std::uint64_t (&cofactor)[n],
                            const std::uint64_t (&p)[n]) {
  while ((value[0] & 1) == 0) {
    halve(value);
    add_masked(cofactor, p, 0 - (cofactor[0] & 1));
    halve(cofactor);
  }
}

}  // namespace binary

template <class Params>
PENSTOCK_HD algebra::Field<Params> quick_inverse(const algebra::Field<Params>& a) {
  using F = algebra::Field<Params>;
  using K = algebra::FieldConstants<Params>;
  constexpr int n = F::limb_count;
  if (a.is_zero()) return a;
  constexpr auto modulus = K::modulus;
  std::uint64_t p[n], u[n], v[n], b[n] = {1}, c[n] = {};
  for (int i = 0; i < n; ++i) {
    p[i] = v[i] = modulus.limb[i];
    u[i] = a.limb[i];
  }
  while (!binary::is_zero(u)) {  // invariants: b·a = u and c·a = v modulo p, v odd
    binary::strip_twos(u, b, p);
    bool less = false;
    for (int i = n - 1; i >= 0; --i)
      if (u[i] != v[i]) {
        less = u[i] < v[i];
        break;
      }
    if (less)
      for (int i = 0; i < n; ++i) {
        std::uint64_t swap = u[i];
        u[i] = v[i];
        v[i] = swap;
        swap = b[i];
        b[i] = c[i];
        c[i] = swap;
      }
    binary::subtract(u, v);
    binary::add_masked(b, p, 0 - binary::subtract(b, c));
  }
  F inverse{};  // of a's residue: a^-1 / R; two products by R² lift it to a^-1 · R
  F r_squared{};
  constexpr auto squared = K::r_squared;
  for (int i = 0; i < n; ++i) {
    inverse.limb[i] = c[i];
    r_squared.limb[i] = squared.limb[i];
  }
  return inverse * r_squared * r_squared;
}

template <class F>
PENSTOCK_HD algebra::Fp2<F> quick_inverse(const algebra::Fp2<F>& a) {
  const F scale = quick_inverse(a.norm());
  return {a.c0 * scale, -(a.c1 * scale)};
}

}  // namespace penstock::cuda
