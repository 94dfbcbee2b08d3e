// The host's arithmetic: two engines (portable, MULX/ADX) under the same functions, chosen at every product
// by a branch that never changes. Products are calls: their bodies are too large to repeat at every use.
// Ownership: arrays of the caller; a result may be an operand. Errors: none; operands and results are
// canonical.
#pragma once

#include <cstdint>

#include "common/algebra/binary_gcd.hpp"
#include "common/algebra/field_constants.hpp"
#include "common/algebra/limbs.hpp"
#include "common/algebra/product_path.hpp"
#include "common/algebra/product_portable.hpp"
#include "common/algebra/product_x86.hpp"
#include "common/algebra/sum_x86.hpp"
#include "common/algebra/unroll.hpp"

#if !defined(__CUDA_ARCH__)

namespace penstock::algebra::host {

#if defined(__x86_64__) && defined(__OPTIMIZE__)
template <class Params>
struct AdxEngine {
  using K = FieldConstants<Params>;
  static constexpr int n = Params::limb_count;
  using Row = std::uint64_t[n];
  using Wide = std::uint64_t[2 * n];

  [[gnu::always_inline]] static void montgomery_product(Row& result, const Row& a, const Row& b) {
    x86::montgomery_product<n>(result, a, b, K::modulus.limb, K::negated_inverse);
  }
  [[gnu::always_inline]] static void wide_product(Wide& result, const Row& a, const Row& b) {
    x86::wide_product<n>(result, a, b);
  }
  [[gnu::always_inline]] static void montgomery_reduce(Row& result, const Wide& value) {
    x86::montgomery_reduce<n>(result, value, K::modulus.limb, K::negated_inverse);
  }
  [[gnu::always_inline]] static void add(Row& result, const Row& a, const Row& b) { x86::add(result, a, b); }
  [[gnu::always_inline]] static std::uint64_t subtract_wide(Wide& a, const Wide& b) {
    return x86::subtract_wide<n>(a, b);
  }
};
#else
template <class Params>
using AdxEngine = PortableEngine<Params>;
#endif

template <class Params>
class Arithmetic {
 public:
  static constexpr int n = Params::limb_count;
  using K = FieldConstants<Params>;
  using Row = std::uint64_t[n];

  [[gnu::always_inline]] static void add(Row& result, const Row& a, const Row& b) {
#if defined(__x86_64__) && defined(__OPTIMIZE__)
    Row sum;
    x86::add(sum, a, b);
    x86::reduce_once(result, sum, K::modulus.limb);
#else
    limbs::modular_sum(result, a, b, K::modulus.limb);
#endif
  }
  [[gnu::always_inline]] static void subtract(Row& result, const Row& a, const Row& b) {
#if defined(__x86_64__) && defined(__OPTIMIZE__)
    Row difference, correction;
    std::uint64_t borrow = 0;
    x86::subtract(difference, a, b, borrow);
    mask_modulus(correction, borrow);
    x86::add(result, difference, correction);
#else
    limbs::modular_difference(result, a, b, K::modulus.limb);
#endif
  }
  [[gnu::noinline]] static void multiply(Row& result, const Row& a, const Row& b) {
    if (adx_selected()) [[likely]]
      AdxEngine<Params>::montgomery_product(result, a, b);
    else
      multiply_portable(result, a, b);
  }
  [[gnu::always_inline]] static void square(Row& result, const Row& a) {
    multiply(result, a, a);
  }
  /// The Montgomery residue of the inverse; 0 for 0.
  [[gnu::noinline]] static void invert(Row& result, const Row& value) {
    binary_gcd::invert<n>(result, value, K::modulus.limb, K::r_squared.limb, K::negated_inverse);
  }
  /// c0 + c1·u = (a0 + a1·u)(b0 + b1·u) with u² = -1. Results may be operands.
  [[gnu::noinline]] static void complex_multiply(Row& c0, Row& c1, const Row& a0, const Row& a1,
                                                 const Row& b0, const Row& b1) {
    if (adx_selected()) [[likely]]
      complex_product<AdxEngine<Params>>(c0, c1, a0, a1, b0, b1);
    else
      complex_multiply_portable(c0, c1, a0, a1, b0, b1);
  }

 private:
  static bool adx_selected() {
    return detail::adx_enabled.load(std::memory_order_relaxed);
  }

  [[gnu::noinline, gnu::cold]] static void multiply_portable(Row& result, const Row& a, const Row& b) {
    PortableEngine<Params>::montgomery_product(result, a, b);
  }
  [[gnu::noinline, gnu::cold]] static void complex_multiply_portable(Row& c0, Row& c1, const Row& a0,
                                                                     const Row& a1, const Row& b0,
                                                                     const Row& b1) {
    complex_product<PortableEngine<Params>>(c0, c1, a0, a1, b0, b1);
  }
  [[gnu::always_inline]] static void mask_modulus(Row& result, std::uint64_t mask) {
    unrolled<n>([&](int i) __attribute__((always_inline)) { result[i] = K::modulus.limb[i] & mask; });
  }

  /// Karatsuba on double-width values, reduced once each (Aranha et al., Eurocrypt 2011): 3 wide products and
  /// 2 reductions. Sums of operands stay below 2p < 2^(64n), the cross term below 2p² < p·2^(64n).
  template <class Engine>
  [[gnu::always_inline]] static void complex_product(Row& c0, Row& c1, const Row& a0, const Row& a1,
                                                     const Row& b0, const Row& b1) {
    Row sum_a, sum_b, top, correction;
    std::uint64_t low[2 * n], high[2 * n], cross[2 * n];
    Engine::add(sum_a, a0, a1);
    Engine::add(sum_b, b0, b1);
    Engine::wide_product(low, a0, b0);
    Engine::wide_product(high, a1, b1);
    Engine::wide_product(cross, sum_a, sum_b);
    Engine::subtract_wide(cross, low);
    Engine::subtract_wide(cross, high);
    mask_modulus(correction, Engine::subtract_wide(low, high));  // a negative difference gets p·2^(64n) added
    unrolled<n>([&](int i) __attribute__((always_inline)) { top[i] = low[n + i]; });
    Engine::add(top, top, correction);
    unrolled<n>([&](int i) __attribute__((always_inline)) { low[n + i] = top[i]; });
    Engine::montgomery_reduce(c0, low);
    Engine::montgomery_reduce(c1, cross);
  }
};

}  // namespace penstock::algebra::host

#endif
