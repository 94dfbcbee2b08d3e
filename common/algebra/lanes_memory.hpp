// Field elements from memory to lanes and back: transpositions of eight elements, and 64-bit words to 52-bit
// limbs. Shape: by eight pointers, lane i from the i-th. Any alignment. Ownership: the caller's memory.
// Threads: no state. Errors: none. Cost: about 25 instructions for eight elements of 4 words, 45 for 6.
#pragma once

#include "common/algebra/lanes.hpp"

#if PENSTOCK_LANES

namespace penstock::algebra::lanes {

/// Eight places in memory.
using Sources = const std::byte* const[8];
using Targets = std::byte* const[8];

template <int count>
struct Words {
  Vector word[count];
};

PENSTOCK_LANE_CALL Vector load_two(const std::byte* low, const std::byte* high) {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low));
  return _mm512_inserti64x4(_mm512_castsi256_si512(first),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high)), 1);
}
PENSTOCK_LANE_CALL Vector load_four(const std::byte* a, const std::byte* b, const std::byte* c,
                                    const std::byte* d) {
  Vector r = _mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a)));
  r = _mm512_inserti64x2(r, _mm_loadu_si128(reinterpret_cast<const __m128i*>(b)), 1);
  r = _mm512_inserti64x2(r, _mm_loadu_si128(reinterpret_cast<const __m128i*>(c)), 2);
  return _mm512_inserti64x2(r, _mm_loadu_si128(reinterpret_cast<const __m128i*>(d)), 3);
}

/// Words 0 to 3, or all 6, of eight elements at byte `offset` of their places.
template <int count>
PENSTOCK_LANE_CALL Words<count> load_words(Sources& from, std::size_t offset) {
  Words<count> r;
  const Vector e02 = load_two(from[0] + offset, from[2] + offset);
  const Vector e13 = load_two(from[1] + offset, from[3] + offset);
  const Vector e46 = load_two(from[4] + offset, from[6] + offset);
  const Vector e57 = load_two(from[5] + offset, from[7] + offset);
  const Vector low_even = _mm512_unpacklo_epi64(e02, e13), low_odd = _mm512_unpackhi_epi64(e02, e13);
  const Vector high_even = _mm512_unpacklo_epi64(e46, e57), high_odd = _mm512_unpackhi_epi64(e46, e57);
  r.word[0] = _mm512_shuffle_i64x2(low_even, high_even, 0x88);
  r.word[1] = _mm512_shuffle_i64x2(low_odd, high_odd, 0x88);
  r.word[2] = _mm512_shuffle_i64x2(low_even, high_even, 0xdd);
  r.word[3] = _mm512_shuffle_i64x2(low_odd, high_odd, 0xdd);
  if constexpr (count == 6) {
    const std::size_t rest = offset + 32;
    const Vector even = load_four(from[0] + rest, from[2] + rest, from[4] + rest, from[6] + rest);
    const Vector odd = load_four(from[1] + rest, from[3] + rest, from[5] + rest, from[7] + rest);
    r.word[4] = _mm512_unpacklo_epi64(even, odd);
    r.word[5] = _mm512_unpackhi_epi64(even, odd);
  }
  return r;
}

PENSTOCK_LANE_CALL void store_two(std::byte* low, std::byte* high, Vector value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(low), _mm512_castsi512_si256(value));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(high), _mm512_extracti64x4_epi64(value, 1));
}
PENSTOCK_LANE_CALL void store_four(std::byte* a, std::byte* b, std::byte* c, std::byte* d, Vector value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(a), _mm512_castsi512_si128(value));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(b), _mm512_extracti64x2_epi64(value, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(c), _mm512_extracti64x2_epi64(value, 2));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(d), _mm512_extracti64x2_epi64(value, 3));
}

template <int count>
PENSTOCK_LANE_CALL void store_words(Targets& to, std::size_t offset, const Words<count>& value) {
  const Vector even01 = _mm512_unpacklo_epi64(value.word[0], value.word[1]);
  const Vector odd01 = _mm512_unpackhi_epi64(value.word[0], value.word[1]);
  const Vector even23 = _mm512_unpacklo_epi64(value.word[2], value.word[3]);
  const Vector odd23 = _mm512_unpackhi_epi64(value.word[2], value.word[3]);
  const Vector first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const Vector second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  store_two(to[0] + offset, to[2] + offset, _mm512_permutex2var_epi64(even01, first, even23));
  store_two(to[4] + offset, to[6] + offset, _mm512_permutex2var_epi64(even01, second, even23));
  store_two(to[1] + offset, to[3] + offset, _mm512_permutex2var_epi64(odd01, first, odd23));
  store_two(to[5] + offset, to[7] + offset, _mm512_permutex2var_epi64(odd01, second, odd23));
  if constexpr (count == 6) {
    const std::size_t rest = offset + 32;
    store_four(to[0] + rest, to[2] + rest, to[4] + rest, to[6] + rest,
               _mm512_unpacklo_epi64(value.word[4], value.word[5]));
    store_four(to[1] + rest, to[3] + rest, to[5] + rest, to[7] + rest,
               _mm512_unpackhi_epi64(value.word[4], value.word[5]));
  }
}

/// Bits [first, first + 52) of eight integers.
template <int first, int count>
PENSTOCK_LANE_CALL Vector bits_at(const Words<count>& value) {
  if constexpr (first < 0)
    return _mm512_and_si512(_mm512_slli_epi64(value.word[0], -first), constant(limb_mask));
  constexpr int word = first < 0 ? 0 : first / 64, offset = first < 0 ? 0 : first % 64;
  if constexpr (word >= count) return _mm512_setzero_si512();
  constexpr bool reaches_next = offset > 64 - limb_bits && word + 1 < count;
  Vector bits;
  if constexpr (reaches_next)
    bits = _mm512_shrdi_epi64(value.word[word], value.word[word + 1], offset);
  else
    bits = _mm512_srli_epi64(value.word[word < count ? word : 0], offset);
  return _mm512_and_si512(bits, constant(limb_mask));
}
/// Word `at` of eight integers in settled limbs.
template <int at, int n>
PENSTOCK_LANE_CALL Vector word_at(const Vector (&limb)[n]) {
  constexpr int first = 64 * at / limb_bits, offset = 64 * at % limb_bits;
  Vector word = _mm512_srli_epi64(limb[first], offset);
  if constexpr (first + 1 < n)
    word = _mm512_or_si512(word, _mm512_slli_epi64(limb[first + 1], limb_bits - offset));
  if constexpr (2 * limb_bits - offset < 64 && first + 2 < n)
    word = _mm512_or_si512(word, _mm512_slli_epi64(limb[first + 2], 2 * limb_bits - offset));
  return word;
}

template <class Result, int shift, int count, int... i>
PENSTOCK_LANE_CALL Result from_words(const Words<count>& words, std::integer_sequence<int, i...>) {
  return {{bits_at<limb_bits * i - shift>(words)...}};
}
template <class Params, int... i>
PENSTOCK_LANE_CALL Words<Shape<Params>::words> to_words(const Lanes<Params>& value,
                                                        std::integer_sequence<int, i...>) {
  return {{word_at<i>(value.limb)...}};
}

template <class Params>
PENSTOCK_LANE_CALL Lanes<Params> from_words(const Words<Shape<Params>::words>& words) {
  return from_words<Lanes<Params>, 0>(words, std::make_integer_sequence<int, Shape<Params>::limbs>{});
}
template <class Params>
PENSTOCK_LANE_CALL Factor<Params> factor_from_words(const Words<Shape<Params>::words>& words) {
  return from_words<Factor<Params>, Shape<Params>::shift>(
      words, std::make_integer_sequence<int, Shape<Params>::limbs>{});
}

template <class Params>
PENSTOCK_LANE_CALL Lanes<Params> load(Sources& from, std::size_t offset = 0) {
  return from_words<Params>(load_words<Shape<Params>::words>(from, offset));
}
template <class Params>
PENSTOCK_LANE_CALL Factor<Params> load_factor(Sources& from, std::size_t offset = 0) {
  return factor_from_words<Params>(load_words<Shape<Params>::words>(from, offset));
}
/// REQUIRES a canonical, settled value.
template <class Params>
PENSTOCK_LANE_CALL void store(Targets& to, const Lanes<Params>& value, std::size_t offset = 0) {
  store_words<Shape<Params>::words>(
      to, offset, to_words<Params>(value, std::make_integer_sequence<int, Shape<Params>::words>{}));
}

}  // namespace penstock::algebra::lanes

#endif
