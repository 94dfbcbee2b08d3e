// Eight elements of a prime field side by side: lane i of every register belongs to element i. AVX-512 IFMA,
// 52-bit limbs. Included only by kernels (.cpp) that run when active_lanes() is LanePath::ifma.
// Source: Gueron and Krasnov, "Accelerating big integer arithmetic using
// Intel IFMA extensions", ARITH 2016; the Montgomery reduction is interleaved with the rows of the product.
// Shape: memory holds ordinary Field elements (Montgomery by 2^(64 n64), canonical). A product of lanes
//   divides by 2^(52 n), so one factor is brought in times 2^shift, shift = 52 n - 64 n64 (`Factor`): by
//   another shift distance when it is loaded, by a few shifts later. Values stay in memory's Montgomery form.
// Bounds: limbs are below 2^52 unless a name says `loose`. [0, k p) stands in the comments of each function.
// Ownership: none. Threads: no state. Errors: none.
// Cost: a product is 4n² + n IFMA, two a cycle, plus about 40 other instructions, for eight elements.
#pragma once

#include "common/algebra/lanes_build.hpp"

#if PENSTOCK_LANES

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 warns of its own header (GCC PR 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/algebra/field_constants.hpp"

namespace penstock::algebra::lanes {

using Vector = __m512i;
using Mask = __mmask8;
inline constexpr int limb_bits = 52;
inline constexpr std::uint64_t limb_mask = (std::uint64_t{1} << limb_bits) - 1;

/// A field in 52-bit limbs.
template <class Params>
struct Shape {
  static constexpr int words = Params::limb_count;
  static constexpr int limbs = (64 * words + limb_bits - 1) / limb_bits;
  static constexpr int shift = limb_bits * limbs - 64 * words;
  static constexpr std::uint64_t negated_inverse = FieldConstants<Params>::negated_inverse & limb_mask;

  /// Limb i of the modulus.
  static constexpr std::uint64_t bits_of(int limb) {
    const int word = limb * limb_bits / 64, offset = limb * limb_bits % 64;
    const auto& p = FieldConstants<Params>::modulus.limb;
    std::uint64_t bits = word < words ? p[word] >> offset : 0;
    if (offset > 64 - limb_bits && word + 1 < words) bits |= p[word + 1] << (64 - offset);
    return bits & limb_mask;
  }
  /// `multiple` times the modulus, as a table: a call would be made at run time.
  template <int multiple>
  static constexpr LimbArray<limbs> modulus = [] {
    LimbArray<limbs> result{};
    std::uint64_t carry = 0;
    for (int i = 0; i < limbs; ++i) {
      const std::uint64_t sum = bits_of(i) * static_cast<std::uint64_t>(multiple) + carry;
      result[static_cast<std::size_t>(i)] = sum & limb_mask;
      carry = sum >> limb_bits;
    }
    return result;
  }();
};

PENSTOCK_LANE_CALL Vector constant(std::uint64_t value) {
  return _mm512_set1_epi64(static_cast<long long>(value));
}

template <class Params, int multiple>
PENSTOCK_LANE_CALL constexpr std::uint64_t modulus_limb(int i) {
  return Shape<Params>::template modulus<multiple>[static_cast<std::size_t>(i)];
}

template <class Params>
struct Lanes {
  static constexpr int n = Shape<Params>::limbs;
  Vector limb[n];
};
/// A value times 2^shift, below 2^(52 n): the second factor of a product.
template <class Params>
struct Factor {
  static constexpr int n = Shape<Params>::limbs;
  Vector limb[n];
};

template <class Params>
PENSTOCK_LANE_CALL Lanes<Params> zero() {
  Lanes<Params> r;
#pragma GCC unroll 8
  for (int i = 0; i < r.n; ++i) r.limb[i] = _mm512_setzero_si512();
  return r;
}

/// Limb by limb, loose.
template <class Params>
PENSTOCK_LANE_CALL Lanes<Params> loose_sum(const Lanes<Params>& a, const Lanes<Params>& b) {
  Lanes<Params> r;
#pragma GCC unroll 8
  for (int i = 0; i < r.n; ++i) r.limb[i] = _mm512_add_epi64(a.limb[i], b.limb[i]);
  return r;
}
/// a - b + multiple * p, limb by limb, loose: limbs may be negative, the value is not when b <= multiple * p.
template <int multiple, class Params>
PENSTOCK_LANE_CALL Lanes<Params> loose_difference(const Lanes<Params>& a, const Lanes<Params>& b) {
  Lanes<Params> r;
#pragma GCC unroll 8
  for (int i = 0; i < r.n; ++i) {
    r.limb[i] = _mm512_sub_epi64(a.limb[i], b.limb[i]);
    if constexpr (multiple != 0)
      r.limb[i] = _mm512_add_epi64(r.limb[i], constant(modulus_limb<Params, multiple>(i)));
  }
  return r;
}

/// Carries settled: limbs below 2^52, the top one with what is above (or the sign).
template <class Params>
PENSTOCK_LANE_CALL Lanes<Params> settled(const Lanes<Params>& loose) {
  Lanes<Params> r = loose;
#pragma GCC unroll 8
  for (int i = 0; i + 1 < r.n; ++i) {
    r.limb[i + 1] = _mm512_add_epi64(r.limb[i + 1], _mm512_srai_epi64(r.limb[i], limb_bits));
    r.limb[i] = _mm512_and_si512(r.limb[i], constant(limb_mask));
  }
  return r;
}

/// Lanes whose (settled) value is negative.
template <class Params>
PENSTOCK_LANE_CALL Mask negative(const Lanes<Params>& value) {
  return _mm512_movepi64_mask(value.limb[value.n - 1]);
}

/// Adds `multiple` * p in the lanes of the mask, loose.
template <int multiple, class Params>
PENSTOCK_LANE_CALL Lanes<Params> plus_modulus(Lanes<Params> value, Mask where) {
#pragma GCC unroll 8
  for (int i = 0; i < value.n; ++i)
    value.limb[i] = _mm512_mask_add_epi64(value.limb[i], where, value.limb[i],
                                          constant(modulus_limb<Params, multiple>(i)));
  return value;
}

/// Canonical from a loose value in [-p, p).
template <class Params>
PENSTOCK_LANE_CALL Lanes<Params> canonical_around_zero(const Lanes<Params>& loose) {
  const Lanes<Params> value = settled(loose);
  return settled(plus_modulus<1>(value, negative(value)));
}
/// Canonical from a loose value in [0, 8 p) with limbs below 2^58 in magnitude: what they carry would change
/// the top limb by less than 64. The quotient is guessed from the top limb less that: never too large, and
/// too small by a fraction, so that (guess + 1) p less leaves a value in [-p, p).
template <class Params>
PENSTOCK_LANE_CALL Lanes<Params> canonical(const Lanes<Params>& loose) {
  using S = Shape<Params>;
  constexpr int n = S::limbs;
  constexpr std::uint64_t per_modulus =
      (std::uint64_t{1} << limb_bits) / (modulus_limb<Params, 1>(n - 1) + 1);
  const Vector top =
      _mm512_max_epi64(_mm512_sub_epi64(loose.limb[n - 1], constant(64)), _mm512_setzero_si512());
  const Vector guess = _mm512_madd52hi_epu64(_mm512_setzero_si512(), top, constant(per_modulus));
  Lanes<Params> r;
#pragma GCC unroll 8
  for (int i = 0; i < n; ++i) {
    const Vector multiples = _mm512_setr_epi64(static_cast<long long>(modulus_limb<Params, 1>(i)),
                                               static_cast<long long>(modulus_limb<Params, 2>(i)),
                                               static_cast<long long>(modulus_limb<Params, 3>(i)),
                                               static_cast<long long>(modulus_limb<Params, 4>(i)),
                                               static_cast<long long>(modulus_limb<Params, 5>(i)),
                                               static_cast<long long>(modulus_limb<Params, 6>(i)),
                                               static_cast<long long>(modulus_limb<Params, 7>(i)),
                                               static_cast<long long>(modulus_limb<Params, 8>(i)));
    r.limb[i] = _mm512_sub_epi64(loose.limb[i], _mm512_permutexvar_epi64(guess, multiples));
  }
  return canonical_around_zero(r);
}

/// REQUIRES settled limbs and value 2^shift < 2^(52 n): below 5 p on BN254, 2 p on BLS12-381's Fr, 9 p on Fp.
template <class Params>
PENSTOCK_LANE_CALL Factor<Params> factor(const Lanes<Params>& value) {
  constexpr int shift = Shape<Params>::shift;
  Factor<Params> r;
  r.limb[0] = _mm512_and_si512(_mm512_slli_epi64(value.limb[0], shift), constant(limb_mask));
#pragma GCC unroll 8
  for (int i = 1; i < r.n; ++i)
    r.limb[i] = _mm512_and_si512(_mm512_or_si512(_mm512_slli_epi64(value.limb[i], shift),
                                                 _mm512_srli_epi64(value.limb[i - 1], limb_bits - shift)),
                                 constant(limb_mask));
  return r;
}

/// a b / 2^(64 words), loose, below (A B p / 2^(64 words) + 1) p for a < A p, b < B p; two pairs add up
/// before the reduction. With A B = 4 and one pair, or A B = 2 and two, that is below 2 p for all our fields'
/// Fp, and with A B = 2 and one pair for all Fr.
template <class Params, int pairs>
PENSTOCK_LANE_CALL Lanes<Params> loose_product(const Lanes<Params> (&a)[pairs],
                                               const Factor<Params> (&b)[pairs]) {
  constexpr int n = Shape<Params>::limbs;
  Lanes<Params> t = zero<Params>();
#pragma GCC unroll 8
  for (int i = 0; i < n; ++i) {
#pragma GCC unroll 2
    for (int k = 0; k < pairs; ++k)
#pragma GCC unroll 8
      for (int j = 0; j < n; ++j) t.limb[j] = _mm512_madd52lo_epu64(t.limb[j], a[k].limb[j], b[k].limb[i]);
    const Vector m =
        _mm512_madd52lo_epu64(_mm512_setzero_si512(), t.limb[0], constant(Shape<Params>::negated_inverse));
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j)
      t.limb[j] = _mm512_madd52lo_epu64(t.limb[j], m, constant(modulus_limb<Params, 1>(j)));
    const Vector carry = _mm512_srli_epi64(t.limb[0], limb_bits);
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j) {
      Vector next = j + 1 < n ? t.limb[j + 1] : _mm512_setzero_si512();
#pragma GCC unroll 2
      for (int k = 0; k < pairs; ++k) next = _mm512_madd52hi_epu64(next, a[k].limb[j], b[k].limb[i]);
      t.limb[j] = _mm512_madd52hi_epu64(next, m, constant(modulus_limb<Params, 1>(j)));
    }
    t.limb[0] = _mm512_add_epi64(t.limb[0], carry);
  }
  return t;
}
template <class Params>
PENSTOCK_LANE_CALL Lanes<Params> loose_product(const Lanes<Params>& a, const Factor<Params>& b) {
  const Lanes<Params> left[1] = {a};
  const Factor<Params> right[1] = {b};
  return loose_product<Params, 1>(left, right);
}

/// Lanes where two settled values are the same integer.
template <class Params>
PENSTOCK_LANE_CALL Mask equal(const Lanes<Params>& a, const Lanes<Params>& b) {
  Vector difference = _mm512_setzero_si512();
#pragma GCC unroll 8
  for (int i = 0; i < a.n; ++i)
    difference = _mm512_or_si512(difference, _mm512_xor_si512(a.limb[i], b.limb[i]));
  return _mm512_testn_epi64_mask(difference, difference);
}
template <class Params>
PENSTOCK_LANE_CALL Mask is_zero(const Lanes<Params>& a) {
  Vector any = a.limb[0];
#pragma GCC unroll 8
  for (int i = 1; i < a.n; ++i) any = _mm512_or_si512(any, a.limb[i]);
  return _mm512_testn_epi64_mask(any, any);
}

}  // namespace penstock::algebra::lanes

#endif
