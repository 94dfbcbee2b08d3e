// Batch-affine levels: additions of affine points that share one inversion per block (Montgomery's trick).
// Cost: 5M + 1S a sum (1M for the prefix, 2M to undo it, 2M + 1S for the chord), against 8M + 2S in XYZZ, and
// one inversion
//   and about 20 products per block of threads·additions_per_thread sums.
// Equal points take the tangent (denominator 2y); opposite points and infinity have no slope: denominator 1,
// result by case.
#pragma once

#include "cuda/field/binary_inverse.hpp"
#include "cuda/msm/batch_affine.hpp"
#include "cuda/msm/points.cuh"

namespace penstock::msm {

inline constexpr int level_threads = 128;
inline constexpr std::uint32_t pair_flag = 1u << 31;  ///< of a source: it and its right neighbour are added

__global__ static void mark_buckets(const std::uint32_t* keys, const std::uint32_t* count,
                                    std::uint32_t* first, std::uint32_t* end) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= *count) return;
  const std::uint32_t key = keys[i];
  if (i == 0 || keys[i - 1] != key) first[key] = i;
  if (i + 1 == *count || keys[i + 1] != key) end[key] = i + 1;
}

/// For the entry that leads a pair (or is left over): where its sum goes, and from where it comes.
__global__ static void place_sums(const std::uint32_t* keys, const std::uint32_t* count,
                                  const std::uint32_t* first, const std::uint32_t* next_first,
                                  std::uint32_t* sources, std::uint32_t* next_keys,
                                  std::uint32_t* next_count) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= *count) return;
  const std::uint32_t key = keys[i], offset = i - first[key];
  const std::uint32_t to = next_first[key] + offset / 2;
  if (offset % 2 == 0) {
    const bool pair = i + 1 < *count && keys[i + 1] == key;
    sources[to] = i | (pair ? pair_flag : 0);
    next_keys[to] = key;
  }
  if (i + 1 == *count) *next_count = to + 1;
}

enum class Slope { none, chord, tangent };

/// How p and q are added, and by what the slope is divided.
template <class F, class Source>
__device__ __forceinline__ Slope denominator(const Source& source, std::uint32_t i, bool pair, F& d) {
  if (!pair) return Slope::none;
  const F x1 = source.x(i), x2 = source.x(i + 1);
  d = x2 - x1;
  if (!d.is_zero() && !x1.is_zero() && !x2.is_zero()) return Slope::chord;
  const algebra::Affine<F> p = source.point(i),
                           q = source.point(i + 1);  // rare: equal x, or perhaps infinity
  if (p.is_infinity() || q.is_infinity()) return Slope::none;
  if (!d.is_zero()) return Slope::chord;
  if (!(p.y == q.y) || p.y.is_zero()) return Slope::none;
  d = p.y.doubled();
  return Slope::tangent;
}

template <class F>
__device__ __forceinline__ algebra::Affine<F> sum_by_slope(const algebra::Affine<F>& p,
                                                           const algebra::Affine<F>& q, Slope kind,
                                                           const F& inverse) {
  if (kind == Slope::none) {
    if (p.is_infinity()) return q;
    if (q.is_infinity()) return p;
    return algebra::Affine<F>::infinity();
  }
  F slope;
  if (kind == Slope::chord) {
    slope = (q.y - p.y) * inverse;
  } else {
    const F xx = p.x.square();
    slope = (xx.doubled() + xx) * inverse;
  }
  const F x = slope.square() - p.x - q.x;
  return {x, slope * (p.x - x) - p.y};
}

/// Every thread's product becomes its inverse: a tree of products in shared memory, one inversion at its
/// root.
template <class F>
__device__ __forceinline__ F invert_in_block(F (&tree)[2 * level_threads], const F& product) {
  tree[level_threads + threadIdx.x] = product;
  for (unsigned width = level_threads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) {
      const unsigned node = width + threadIdx.x;
      tree[node] = tree[2 * node] * tree[2 * node + 1];
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) tree[1] = cuda::quick_inverse(tree[1]);
  for (unsigned width = 1; width < level_threads; width *= 2) {
    __syncthreads();
    if (threadIdx.x < width) {
      const unsigned node = width + threadIdx.x;
      const F left = tree[2 * node], right = tree[2 * node + 1], inverse = tree[node];
      tree[2 * node] = inverse * right;
      tree[2 * node + 1] = inverse * left;
    }
  }
  __syncthreads();
  return tree[level_threads + threadIdx.x];
}

/// sums[j] for the outputs of one level; a block works level_threads · each of them.
template <class F, class Source>
__global__ void __launch_bounds__(level_threads)
    add_level(Source source, const std::uint32_t* sources, const std::uint32_t* count, std::uint32_t each,
              F* prefix, algebra::Affine<F>* sums) {
  __shared__ F tree[2 * level_threads];
  const std::uint32_t outputs = *count, base = blockIdx.x * level_threads * each;
  if (base >= outputs) return;
  const std::uint32_t mine = base + threadIdx.x;
  const std::uint32_t steps =
      mine >= outputs ? 0 : min(each, (outputs - mine + level_threads - 1) / level_threads);
  F product = F::one();
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::uint32_t j = mine + step * level_threads, from = sources[j];
    F d;
    const Slope kind = denominator(source, from & ~pair_flag, (from & pair_flag) != 0, d);
    if (kind == Slope::none) continue;
    prefix[j] = product;
    product = product * d;
  }
  F inverse = invert_in_block(tree, product);
  for (std::uint32_t step = steps; step-- > 0;) {
    const std::uint32_t j = mine + step * level_threads, from = sources[j], i = from & ~pair_flag;
    const algebra::Affine<F> p = source.point(i);
    if ((from & pair_flag) == 0) {
      sums[j] = p;
      continue;
    }
    const algebra::Affine<F> q = source.point(i + 1);
    F d;
    const Slope kind = denominator(source, i, true, d);
    F inverse_d = inverse;
    if (kind != Slope::none) {
      inverse_d = inverse * prefix[j];
      inverse = inverse * d;
    }
    sums[j] = sum_by_slope(p, q, kind, inverse_d);
  }
}

/// What is left of a chunk after its levels: a list of affine points sorted by bucket.
template <class F>
struct Remainder {
  const std::uint32_t* keys = nullptr;
  const algebra::Affine<F>* points = nullptr;
  std::uint32_t count = 0;
};

/// Enqueues level `level` of a chunk of `count` pairs: from `source` (at most `most` entries, *entries of
/// them) into side `to`.
template <class F, class Source>
void enqueue_level(const cuda::Stream& stream, const Plan& plan, const Source& source,
                   const LevelInput& input, LevelScratch<F>& scratch, int to) {
  const std::uint32_t buckets = plan.buckets();
  const unsigned blocks = (input.most + 255) / 256;
  std::uint32_t* next_count = scratch.counts.data() + input.level + 1;
  cuda::fill_zero(stream, scratch.first.data(), buckets * sizeof(std::uint32_t));
  cuda::fill_zero(stream, scratch.end.data(), buckets * sizeof(std::uint32_t));
  mark_buckets<<<blocks, 256, 0, stream.get()>>>(input.keys, input.entries, scratch.first.data(),
                                                 scratch.end.data());
  PENSTOCK_CUDA_CHECK(cudaGetLastError());
  scan_halves(stream, scratch.first.data(), scratch.end.data(), buckets, scratch.next_first.data(),
              scratch.scan_scratch.data(), scratch.scan_scratch.size_bytes());
  place_sums<<<blocks, 256, 0, stream.get()>>>(input.keys, input.entries, scratch.first.data(),
                                               scratch.next_first.data(), scratch.sources.data(),
                                               scratch.keys[to].data(), next_count);
  PENSTOCK_CUDA_CHECK(cudaGetLastError());
  const std::uint32_t each = sums_per_thread(input.expected / 2), per_block = level_threads * each;
  const std::uint32_t most_sums = most_after_level(input.most, buckets);
  add_level<F, Source><<<(most_sums + per_block - 1) / per_block, level_threads, 0, stream.get()>>>(
      source, scratch.sources.data(), next_count, each, scratch.prefix.data(), scratch.points[to].data());
  PENSTOCK_CUDA_CHECK(cudaGetLastError());
}

/// All levels that pay over the `count` pairs at keys/values, which reach about `reach` buckets. Waits for
/// the stream once, for the length of what is left.
template <class F>
Remainder<F> add_levels(const cuda::Stream& stream, const Plan& plan, const PairList& pairs,
                        std::uint32_t reach, const algebra::Affine<F>* table, LevelScratch<F>& scratch) {
  *scratch.count_on_host.data() = pairs.count;
  cuda::copy_to_device(stream, scratch.counts.data(), scratch.count_on_host.data(), sizeof(std::uint32_t));
  LevelInput input{pairs.keys, scratch.counts.data(), pairs.count, pairs.count, 0};
  enqueue_level<F>(stream, plan, TablePoints<F>{table, pairs.values}, input, scratch, 0);
  int side = 0;
  for (;;) {
    input.keys = scratch.keys[side].data();
    ++input.level;
    input.entries = scratch.counts.data() + input.level;
    input.most = most_after_level(input.most, plan.buckets());
    input.expected /= 2;
    if (!level_pays(input.expected, reach)) break;
    enqueue_level<F>(stream, plan, PlainPoints<F>{scratch.points[side].data()}, input, scratch, side ^ 1);
    side ^= 1;
  }
  cuda::copy_to_host(stream, scratch.count_on_host.data(), input.entries, sizeof(std::uint32_t));
  stream.wait_until_idle();
  return {scratch.keys[side].data(), scratch.points[side].data(), *scratch.count_on_host.data()};
}

template <class F>
LevelScratch<F> make_level_scratch(cuda::DeviceHeap& heap, const Plan& plan, std::uint64_t most_pairs) {
  LevelScratch<F> scratch;
  const std::uint64_t chunk = most_pairs < chunk_pairs ? most_pairs : chunk_pairs;
  if (!level_pays(chunk, 1)) return scratch;  // lists this short are never worked in levels
  const std::uint64_t first = most_after_level(static_cast<std::uint32_t>(chunk), plan.buckets());
  const std::uint64_t second = most_after_level(static_cast<std::uint32_t>(first), plan.buckets());
  scratch.points[0] = {heap, first};
  scratch.points[1] = {heap, second};
  scratch.prefix = {heap, first};
  scratch.keys[0] = {heap, first};
  scratch.keys[1] = {heap, second};
  scratch.sources = {heap, first};
  for (auto* per_bucket : {&scratch.first, &scratch.end, &scratch.next_first})
    *per_bucket = {heap, plan.buckets()};
  scratch.counts = {heap, most_levels + 1};
  scratch.scan_scratch = {heap, scan_scratch_bytes(plan.buckets())};
  scratch.count_on_host = cuda::PinnedBuffer<std::uint32_t>(1);
  return scratch;
}

}  // namespace penstock::msm
