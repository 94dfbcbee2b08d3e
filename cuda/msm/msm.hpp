// Multi-scalar multiplication on the device: sum of s_i·P_i over G1 and G2 of both curves, with fixed-base
// tables. Steps: digits (one list of (bucket, ±point) pairs of the non-zero digits, sorted by bucket; shared
// by every query over
//   the same scalars) -> accumulate (equal runs of the sorted list per thread, whatever the buckets' sizes;
//   pieces of one bucket are merged by segmented scans) -> reduce (sum of b·bucket_b by logarithmic scans) ->
//   one point.
// Shape: scalars plain, canonical, 4 limbs; points affine Montgomery, infinity all zero; any n from 0.
// Streams: everything enqueues on the given stream; only sort_digits waits, for the number of pairs.
// Large sums are worked in chunks of scalars: the digits of one at a time, added to the same buckets.
// Errors: CudaError. Memory: all passed in; nothing is allocated here.
// Cost: 8M + 2S a pair, 2 additions a bucket.
#pragma once

#include <cstdint>

#include "common/algebra/curve.hpp"
#include "cuda/device/device_memory.hpp"
#include "cuda/msm/msm_plan.hpp"

namespace penstock::msm {

/// Plain scalars as they lie in a witness.
struct Scalar {
  std::uint64_t limb[4];
};

/// The pairs of one chunk of scalars, sorted by bucket. Reused from proof to proof.
struct DigitList {
  cuda::DeviceBuffer<std::uint32_t> keys[2], values[2];  ///< [0] as emitted, [sorted] sorted
  int sorted = 0;
  cuda::DeviceBuffer<std::byte> sort_scratch;
  cuda::DeviceBuffer<std::uint32_t> counter;
  cuda::PinnedBuffer<std::uint32_t> count_on_host;
  std::uint32_t count = 0;
};
[[nodiscard]] DigitList make_digit_list(cuda::DeviceHeap& heap, std::uint64_t most_pairs);

/// Scalars [first, first + size) of `n`.
struct Chunk {
  std::uint64_t first = 0, size = 0, n = 0;
};
/// Writes the chunk's pairs. `modulus` is the scalar field's. Enqueues.
void emit_digits(const cuda::Stream& stream, const Plan& plan, const Scalar* scalars, const Chunk& chunk,
                 const std::uint64_t (&modulus)[4], DigitList& list);
/// Sorts them. Waits until they are there, to learn their number; the sort itself is enqueued.
void sort_digits(const cuda::Stream& stream, const Plan& plan, DigitList& list);
/// Both, for all n scalars.
void build_digits(const cuda::Stream& stream, const Plan& plan, const Scalar* scalars, std::uint64_t n,
                  const std::uint64_t (&modulus)[4], DigitList& list);

/// The pieces of an addition to buckets and of a reduction over coordinates F; sums one after another share
/// it.
template <class F>
struct Scratch {
  cuda::DeviceBuffer<algebra::Xyzz<F>> partials[2];
  cuda::DeviceBuffer<std::uint32_t> partial_keys[2];
  cuda::DeviceBuffer<algebra::Xyzz<F>> fresh;  ///< buckets of a later list, before they join
};
/// For lists of up to `pairs` pairs; `in_chunks`: for sums of several lists.
template <class F>
[[nodiscard]] Scratch<F> make_scratch(cuda::DeviceHeap& heap, const Plan& plan, std::uint64_t pairs,
                                      bool in_chunks);

/// buckets += the list's pairs over `table` (plan.tables copies of n points). The `first` list of a sum finds
/// them empty, each later one costs an addition a bucket. REQUIRES scratch made in_chunks for a later one.
/// Enqueues.
template <class F>
void add_to_buckets(const cuda::Stream& stream, const Plan& plan, const DigitList& list, bool first,
                    const algebra::Affine<F>* table, algebra::Xyzz<F>* buckets, Scratch<F>& scratch);

/// *result = the sum of b·bucket_b; spoils the buckets. Enqueues.
template <class F>
void reduce_buckets(const cuda::Stream& stream, const Plan& plan, algebra::Xyzz<F>* buckets,
                    Scratch<F>& scratch, algebra::Xyzz<F>* result);

/// A whole sum whose pairs are in one list.
template <class F>
struct Workspace {
  cuda::DeviceBuffer<algebra::Xyzz<F>> buckets;
  Scratch<F> scratch;
};
template <class F>
[[nodiscard]] Workspace<F> make_workspace(cuda::DeviceHeap& heap, const Plan& plan, std::uint64_t pairs) {
  Workspace<F> workspace;
  workspace.buckets = {heap, plan.buckets()};
  workspace.scratch = make_scratch<F>(heap, plan, pairs, false);
  return workspace;
}
template <class F>
void accumulate(const cuda::Stream& stream, const Plan& plan, const DigitList& list,
                const algebra::Affine<F>* table, Workspace<F>& workspace, algebra::Xyzz<F>* result) {
  add_to_buckets(stream, plan, list, true, table, workspace.buckets.data(), workspace.scratch);
  reduce_buckets(stream, plan, workspace.buckets.data(), workspace.scratch, result);
}

/// table[q·n + i] = 2^(window_bits·sets·q)·points[i] for q < plan.tables; table[0..n) holds the points on
/// entry. Enqueues. `sums` and `scratch` hold n elements each.
template <class F>
void build_table(const cuda::Stream& stream, const Plan& plan, std::uint64_t n, algebra::Affine<F>* table,
                 algebra::Xyzz<F>* sums, F* scratch);

}  // namespace penstock::msm
