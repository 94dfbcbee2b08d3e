// The levels of batch-affine accumulation: which neighbours of a sorted list are added, and where their sums
// go. Pure arithmetic and the scratch; the kernels are in batch_affine.cuh. Shape: a list is sorted by
// bucket; a level adds the 1st and 2nd, 3rd and 4th … point of every bucket and keeps an odd last
//   one. A list longer than chunk_pairs is worked in pieces, so that memory does not grow with n.
#pragma once

#include <cstdint>

#include "common/algebra/curve.hpp"
#include "cuda/device/device_memory.hpp"
#include "cuda/msm/msm_plan.hpp"

namespace penstock::msm {

/// Pairs of the sorted list that are worked at a time: 8 M sums of 96 bytes and as many prefixes.
inline constexpr std::uint32_t chunk_pairs = 1u << 24;
/// A level with fewer sums than this does not pay for its inversions (0.1 ms of latency each): XYZZ finishes.
inline constexpr std::uint32_t least_level_sums = 1u << 19;
/// Below this many points a bucket a level saves less than the hand-over costs.
inline constexpr std::uint32_t least_mean_load = 3;

/// Most entries that a level can leave of `count`: halves, and one odd entry a bucket.
[[nodiscard]] constexpr std::uint32_t most_after_level(std::uint32_t count, std::uint32_t buckets) {
  return count / 2 + (count < buckets ? count : buckets) / 2 + 1;
}
/// Is one more level worth it?
[[nodiscard]] constexpr bool level_pays(std::uint64_t count, std::uint32_t buckets_in_reach) {
  return count / 2 >= least_level_sums && count >= std::uint64_t{least_mean_load} * buckets_in_reach;
}

/// At most 2^24 pairs a chunk, halved until least_level_sums: 5 levels; one spare.
inline constexpr int most_levels = 8;

/// Sums that one thread makes per shared inversion: as many as still leave about four blocks a
/// multiprocessor.
[[nodiscard]] constexpr std::uint32_t sums_per_thread(std::uint32_t sums) {
  const std::uint32_t even = sums / (132 * 4 * 128);
  return even < 16 ? 16 : even > 128 ? 128 : even;
}

/// A run of the sorted list.
struct PairList {
  const std::uint32_t* keys = nullptr;
  const std::uint32_t* values = nullptr;
  std::uint32_t count = 0;
};

/// What a level starts from. `entries` is on the device; the host knows only a bound and an expectation.
struct LevelInput {
  const std::uint32_t* keys = nullptr;
  const std::uint32_t* entries = nullptr;
  std::uint32_t most = 0, expected = 0;
  int level = 0;
};

/// Scratch of the levels over coordinates F.
template <class F>
struct LevelScratch {
  cuda::DeviceBuffer<algebra::Affine<F>> points[2];
  cuda::DeviceBuffer<F> prefix;
  cuda::DeviceBuffer<std::uint32_t> keys[2], sources;
  cuda::DeviceBuffer<std::uint32_t> first, end, next_first;  ///< per bucket
  cuda::DeviceBuffer<std::uint32_t> counts;                  ///< of each level's list
  cuda::DeviceBuffer<std::byte> scan_scratch;
  cuda::PinnedBuffer<std::uint32_t> count_on_host;
};

/// next_first[b] = sum over buckets before b of ceil((end - first)/2); buckets without entries have first =
/// end. Enqueues. `scratch_bytes` of scan_scratch as scan_scratch_bytes says.
[[nodiscard]] std::size_t scan_scratch_bytes(std::uint32_t buckets);
void scan_halves(const cuda::Stream& stream, const std::uint32_t* first, const std::uint32_t* end,
                 std::uint32_t buckets, std::uint32_t* next_first, std::byte* scratch,
                 std::size_t scratch_bytes);

}  // namespace penstock::msm
