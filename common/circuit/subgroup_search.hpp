// Finds a point outside the subgroup among many. Few points: the endomorphism test for each. Many: they are
// scattered at random over buckets and only the buckets' sums are tested, in several independent rounds.
// Soundness: given where the other points fell, a bad point hides in a round only if it falls into the one
// bucket that
//   cancels it: buckets^-rounds = 2^-48 for the whole key, and certain detection of a single bad point. One
//   random combination of all points would miss with probability 1/3 on BLS12-381 G1.
// Errors: throws when the operating system gives no randomness. Threads: `threads` helpers for the call's
// duration. Cost: `rounds` additions a point (10 products each), then buckets * rounds endomorphism tests;
// per thread
//   buckets * rounds sums of memory (6 MiB for BLS12-381 G2).
#pragma once

#include <sys/random.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/circuit/parallel_ranges.hpp"
#include "common/circuit/point_ranges.hpp"

namespace penstock::circuit {

struct SubgroupSearch {
  int threads = 1;
  /// Up to here the test of each point is the cheaper way: 40 us against 4 additions and a share of 16,384
  /// tests.
  std::uint64_t one_by_one_limit = 16384;
};

namespace detail {

inline constexpr int bucket_bits = 12;
inline constexpr std::uint64_t bucket_count = std::uint64_t{1} << bucket_bits;
inline constexpr int rounds = 4;
static_assert(bucket_bits * rounds <= 64, "one hash places a point in all rounds");
inline constexpr std::uint64_t points_per_thread = 1024;

/// SipHash-2-4 of one 64-bit word (Aumasson and Bernstein): whoever made the key cannot foresee the buckets.
class BucketHash {
 public:
  BucketHash() {
    if (::getrandom(key_, sizeof(key_), 0) != static_cast<ssize_t>(sizeof(key_)))
      throw std::runtime_error("the operating system gives no randomness");
  }
  [[nodiscard]] std::uint64_t bucket(std::uint64_t index, int round) const {
    return (hash(index) >> (round * bucket_bits)) % bucket_count;
  }
  [[nodiscard]] std::uint64_t hash(std::uint64_t word) const {
    constexpr std::uint64_t length_word = std::uint64_t{sizeof(word)} << 56;
    State state{key_[0] ^ 0x736f6d6570736575U, key_[1] ^ 0x646f72616e646f6dU, key_[0] ^ 0x6c7967656e657261U,
                key_[1] ^ 0x7465646279746573U};
    for (const auto block : {word, length_word}) {
      state.v3 ^= block;
      state.mix(2);
      state.v0 ^= block;
    }
    state.v2 ^= 0xff;
    state.mix(4);
    return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
  }

 private:
  struct State {
    std::uint64_t v0, v1, v2, v3;
    void mix(int times) {
      for (int i = 0; i < times; ++i) {
        v0 += v1;
        v1 = std::rotl(v1, 13) ^ v0;
        v0 = std::rotl(v0, 32);
        v2 += v3;
        v3 = std::rotl(v3, 16) ^ v2;
        v0 += v3;
        v3 = std::rotl(v3, 21) ^ v0;
        v2 += v1;
        v1 = std::rotl(v1, 17) ^ v2;
        v2 = std::rotl(v2, 32);
      }
    }
  };
  std::uint64_t key_[2];
};

/// sums[round * bucket_count + bucket], as affine points.
template <class Point>
std::vector<Point> bucket_sums(const PointRanges<Point>& points, const BucketHash& place, int threads) {
  using Sum = algebra::Xyzz<typename Point::Coordinate>;
  const auto parts = range_count(points.size(), threads, points_per_thread);
  std::vector<std::vector<Sum>> partial(parts, std::vector<Sum>(rounds * bucket_count, Sum::infinity()));
  for_ranges(points.size(), threads, points_per_thread,
             [&](std::uint64_t part, std::uint64_t begin, std::uint64_t end) {
               auto& sums = partial[part];
               for (auto i = begin; i < end; ++i) {
                 const auto point = points[i];
                 auto bits = place.hash(i);
                 for (int round = 0; round < rounds; ++round, bits >>= bucket_bits)
                   sums[round * bucket_count + bits % bucket_count].add(point);
               }
             });
  for (std::size_t part = 1; part < parts; ++part)
    for (std::size_t i = 0; i < partial[0].size(); ++i) partial[0][i].add(partial[part][i]);
  std::vector<Point> affine(partial[0].size());
  algebra::batch_to_affine(std::span<const Sum>(partial[0]), std::span(affine));
  return affine;
}

}  // namespace detail

/// The index of a point outside the subgroup, if there is one: the lowest when they are tested one by one,
/// the lowest of the offending bucket otherwise. REQUIRES: all points are on the curve.
template <class C, class Point>
[[nodiscard]] std::optional<std::uint64_t> find_outside_subgroup(const PointRanges<Point>& points,
                                                                 const SubgroupSearch& search) {
  using namespace detail;
  // Infinity is in the subgroup and common (B1 and B2 of a linear circuit hold nothing else).
  const auto is_bad = [](const Point& point) { return !point.is_infinity() && !C::in_subgroup(point); };
  const auto is_outside = [&](std::uint64_t i) { return is_bad(points[i]); };
  if (points.size() <= search.one_by_one_limit)
    return lowest_bad_index(points.size(), search.threads, 64, is_outside);
  const BucketHash place;
  const auto sums = bucket_sums(points, place, search.threads);
  const auto bad_sum =
      lowest_bad_index(sums.size(), search.threads, 64, [&](std::uint64_t i) { return is_bad(sums[i]); });
  if (!bad_sum) return std::nullopt;
  const int round = static_cast<int>(*bad_sum / bucket_count);
  return lowest_bad_index(points.size(), search.threads, points_per_thread, [&](std::uint64_t i) {
    return place.bucket(i, round) == *bad_sum % bucket_count && is_outside(i);
  });
}

}  // namespace penstock::circuit
