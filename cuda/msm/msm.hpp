// Multi-scalar multiplication on the device: sum of s_i·P_i over G1 and G2 of both curves, with fixed-base
// tables. Steps: digits (one list of (bucket, ±point) pairs of the non-zero digits, sorted by bucket; shared
// by every query over
//   the same scalars) -> accumulate (equal runs of the sorted list per thread, whatever the buckets' sizes;
//   pieces of one bucket are merged by segmented scans) -> reduce (sum of b·bucket_b by logarithmic scans) ->
//   one point.
// Shape: scalars plain, canonical, 4 limbs; points affine Montgomery, infinity all zero; any n from 0.
// Streams: everything enqueues on the given stream; only build_digits waits, for the number of pairs.
// Errors: CudaError. Memory: all passed in; nothing is allocated here.
// Cost: 8M + 2S a pair, 2 additions a bucket.
#pragma once

#include <cstdint>
#include <functional>

#include "common/algebra/curve.hpp"
#include "cuda/device/device_memory.hpp"
#include "cuda/msm/msm_plan.hpp"

namespace penstock::msm {

/// Plain scalars as they lie in a witness.
struct Scalar {
  std::uint64_t limb[4];
};

/// The pairs of one set of scalars, sorted by bucket. Reused from proof to proof.
struct DigitList {
  cuda::DeviceBuffer<std::uint32_t> keys[2], values[2];  ///< [0] as emitted, [1] sorted
  cuda::DeviceBuffer<std::byte> sort_scratch;
  cuda::DeviceBuffer<std::uint32_t> counter;
  cuda::PinnedBuffer<std::uint32_t> count_on_host;
  std::uint32_t count = 0;
};
[[nodiscard]] DigitList make_digit_list(cuda::DeviceHeap& heap, std::uint64_t most_pairs);

/// Fills the list. `modulus` is the scalar field's. Waits for the stream once, to learn the number of pairs;
/// `before_wait` is called when everything up to there is enqueued.
void build_digits(const cuda::Stream& stream, const Plan& plan, const Scalar* scalars, std::uint64_t n,
                  const std::uint64_t (&modulus)[4], DigitList& list,
                  const std::function<void()>& before_wait = {});

/// Scratch of one accumulation over coordinates F.
template <class F>
struct Workspace {
  cuda::DeviceBuffer<algebra::Xyzz<F>> buckets;
  cuda::DeviceBuffer<algebra::Xyzz<F>> partials[2];
  cuda::DeviceBuffer<std::uint32_t> partial_keys[2];
};
template <class F>
[[nodiscard]] Workspace<F> make_workspace(cuda::DeviceHeap& heap, const Plan& plan);

/// *result = the sum of list's pairs over `table` (plan.tables copies of n points). Enqueues.
template <class F>
void accumulate(const cuda::Stream& stream, const Plan& plan, const DigitList& list,
                const algebra::Affine<F>* table, Workspace<F>& workspace, algebra::Xyzz<F>* result);

/// The last step of accumulate(): *result from workspace.buckets, which it spoils. Enqueues.
template <class F>
void reduce_buckets(const cuda::Stream& stream, const Plan& plan, Workspace<F>& workspace,
                    algebra::Xyzz<F>* result);

/// table[q·n + i] = 2^(window_bits·sets·q)·points[i] for q < plan.tables; table[0..n) holds the points on
/// entry. Enqueues. `sums` and `scratch` hold n elements each.
template <class F>
void build_table(const cuda::Stream& stream, const Plan& plan, std::uint64_t n, algebra::Affine<F>* table,
                 algebra::Xyzz<F>* sums, F* scratch);

}  // namespace penstock::msm
