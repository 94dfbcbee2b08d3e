// The products of a field, and which code computes them: constant evaluation and the device take the portable
// form (or the device product named below), a host takes the path that product_path.hpp selected.
// Ownership: arrays of the caller; a result may be an operand. Errors: none; operands are canonical.
//
// The device: PENSTOCK_DEVICE_PRODUCT_HEADER (set by cuda/) names the header whose DeviceProduct<Params>
// provides multiply, add, subtract(result, a, b) and square(result, a) over limb_count 64-bit limbs.
#pragma once

#include <cstdint>

#include "common/algebra/limbs.hpp"
#include "common/algebra/product_path.hpp"
#include "common/algebra/product_x86.hpp"
#include "common/base/host_device.hpp"

namespace penstock::algebra {

/// What the compiler derives from a modulus. `Params` is data: limb_count, modulus, two_adicity, non_residue.
template <class Params>
struct FieldConstants {
  static constexpr int n = Params::limb_count;
  struct Raw {
    std::uint64_t limb[n];
  };
  static constexpr Raw raw(const LimbArray<n>& value) {
    Raw result{};
    for (int i = 0; i < n; ++i) result.limb[i] = value[static_cast<std::size_t>(i)];
    return result;
  }
  static constexpr Raw modulus = raw(Params::modulus);
  static constexpr Raw one = raw(limbs::power_of_two(64 * n, modulus.limb));         // R mod p
  static constexpr Raw r_squared = raw(limbs::power_of_two(128 * n, modulus.limb));  // R² mod p
  static constexpr std::uint64_t negated_inverse = limbs::negated_inverse(Params::modulus[0]);
  static_assert(Params::modulus[n - 1] < (std::uint64_t{1} << 63) - 1, "the no-carry product needs this");
};

}  // namespace penstock::algebra

#if defined(__CUDACC__)
#include PENSTOCK_DEVICE_PRODUCT_HEADER
#endif

namespace penstock::algebra::host {

/// The portable arithmetic as a policy of the functions below.
struct PortableEngine {
  template <class Params, int n>
  static void montgomery_product(std::uint64_t (&result)[n], const std::uint64_t (&a)[n],
                                 const std::uint64_t (&b)[n]) {
    using K = FieldConstants<Params>;
    limbs::montgomery_product(result, a, b, K::modulus.limb, K::negated_inverse);
  }
  template <int n>
  static void wide_product(std::uint64_t (&result)[2 * n], const std::uint64_t (&a)[n],
                           const std::uint64_t (&b)[n]) {
    limbs::wide_product<n>(result, a, b);
  }
  template <class Params, int n>
  static void montgomery_reduce(std::uint64_t (&result)[n], const std::uint64_t (&value)[2 * n]) {
    using K = FieldConstants<Params>;
    limbs::montgomery_reduce<n>(result, value, K::modulus.limb, K::negated_inverse);
  }
};

#if defined(__x86_64__) && !defined(__CUDA_ARCH__)
struct AdxEngine {
  template <class Params, int n>
  [[gnu::always_inline]] static void montgomery_product(std::uint64_t (&result)[n],
                                                        const std::uint64_t (&a)[n],
                                                        const std::uint64_t (&b)[n]) {
    using K = FieldConstants<Params>;
    x86::montgomery_product<n>(result, a, b, K::modulus.limb, K::negated_inverse);
  }
  template <int n>
  [[gnu::always_inline]] static void wide_product(std::uint64_t (&result)[2 * n], const std::uint64_t (&a)[n],
                                                  const std::uint64_t (&b)[n]) {
    x86::wide_product<n>(result, a, b);
  }
  template <class Params, int n>
  [[gnu::always_inline]] static void montgomery_reduce(std::uint64_t (&result)[n],
                                                       const std::uint64_t (&value)[2 * n]) {
    using K = FieldConstants<Params>;
    x86::montgomery_reduce<n>(result, value, K::modulus.limb, K::negated_inverse);
  }
};
inline bool adx_selected() {
  return detail::adx_enabled.load(std::memory_order_relaxed);
}
#else
using AdxEngine = PortableEngine;
inline constexpr bool adx_selected() {
  return false;
}
#endif

/// c0 = a0·b0 - a1·b1, c1 = a0·b1 + a1·b0 by Karatsuba on double-width values, reduced once each
/// (Aranha et al., Eurocrypt 2011): 3 wide products and 2 reductions. REQUIRES 2p < 2^(64n).
template <class Engine, class Params, int n>
[[gnu::always_inline]] inline void complex_product(std::uint64_t (&c0)[n], std::uint64_t (&c1)[n],
                                                   const std::uint64_t (&a0)[n], const std::uint64_t (&a1)[n],
                                                   const std::uint64_t (&b0)[n],
                                                   const std::uint64_t (&b1)[n]) {
  using K = FieldConstants<Params>;
  std::uint64_t sum_a[n], sum_b[n], low[2 * n], high[2 * n], cross[2 * n];
  std::uint64_t carry_a = 0, carry_b = 0;
#pragma GCC unroll 6
  for (int i = 0; i < n; ++i) sum_a[i] = limbs::add_carry(a0[i], a1[i], carry_a);
#pragma GCC unroll 6
  for (int i = 0; i < n; ++i) sum_b[i] = limbs::add_carry(b0[i], b1[i], carry_b);
  Engine::template wide_product<n>(low, a0, b0);
  Engine::template wide_product<n>(high, a1, b1);
  Engine::template wide_product<n>(cross, sum_a, sum_b);
  std::uint64_t borrow = 0;
#pragma GCC unroll 12
  for (int i = 0; i < 2 * n; ++i) cross[i] = limbs::subtract_borrow(cross[i], low[i], borrow);
  borrow = 0;
#pragma GCC unroll 12
  for (int i = 0; i < 2 * n; ++i) cross[i] = limbs::subtract_borrow(cross[i], high[i], borrow);
  borrow = 0;
#pragma GCC unroll 12
  for (int i = 0; i < 2 * n; ++i) low[i] = limbs::subtract_borrow(low[i], high[i], borrow);
  const std::uint64_t mask = 0 - borrow;  // a negative difference becomes itself + p·2^(64n)
  std::uint64_t carry = 0;
#pragma GCC unroll 6
  for (int i = 0; i < n; ++i) low[n + i] = limbs::add_carry(low[n + i], K::modulus.limb[i] & mask, carry);
  Engine::template montgomery_reduce<Params, n>(c0, low);
  Engine::template montgomery_reduce<Params, n>(c1, cross);
}

template <class Params, int n>
[[gnu::noinline, gnu::cold]] void multiply_portable(std::uint64_t (&result)[n], const std::uint64_t (&a)[n],
                                                    const std::uint64_t (&b)[n]) {
  PortableEngine::montgomery_product<Params, n>(result, a, b);
}

/// A call: 256-bit bodies are about a hundred instructions, too much to repeat at every use.
template <class Params, int n>
[[gnu::noinline]] void multiply(std::uint64_t (&result)[n], const std::uint64_t (&a)[n],
                                const std::uint64_t (&b)[n]) {
  if (adx_selected()) [[likely]]
    AdxEngine::montgomery_product<Params, n>(result, a, b);
  else
    multiply_portable<Params, n>(result, a, b);
}

template <class Params, int n>
[[gnu::noinline, gnu::cold]] void complex_multiply_portable(std::uint64_t (&c0)[n], std::uint64_t (&c1)[n],
                                                            const std::uint64_t (&a0)[n],
                                                            const std::uint64_t (&a1)[n],
                                                            const std::uint64_t (&b0)[n],
                                                            const std::uint64_t (&b1)[n]) {
  complex_product<PortableEngine, Params, n>(c0, c1, a0, a1, b0, b1);
}

template <class Params, int n>
[[gnu::noinline]] void complex_multiply(std::uint64_t (&c0)[n], std::uint64_t (&c1)[n],
                                        const std::uint64_t (&a0)[n], const std::uint64_t (&a1)[n],
                                        const std::uint64_t (&b0)[n], const std::uint64_t (&b1)[n]) {
  if (adx_selected()) [[likely]]
    complex_product<AdxEngine, Params, n>(c0, c1, a0, a1, b0, b1);
  else
    complex_multiply_portable<Params, n>(c0, c1, a0, a1, b0, b1);
}

}  // namespace penstock::algebra::host
