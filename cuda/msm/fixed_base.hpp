// Many multiples of one point, for setups: a table of signed windows, one thread a scalar.
// Shape: entry w·2^15 + d - 1 is d·2^(16w)·base for 1 <= d <= 2^15; scalars are Montgomery elements of Fr.
// Streams: everything enqueues, nothing waits but build (host points are uploaded). Errors: CudaError.
// Cost: 16 mixed additions a scalar and a thirty-second of an inversion.
#pragma once

#include <cstdint>

#include "common/algebra/curve.hpp"
#include "cuda/device/device_memory.hpp"

namespace penstock::msm {

inline constexpr int fixed_window_bits = 16, fixed_windows = 16;  ///< holds any scalar below 2^255

template <class F>
struct FixedBaseTable {
  cuda::DeviceBuffer<algebra::Affine<F>> entries;
};
template <class F>
[[nodiscard]] FixedBaseTable<F> build_fixed_base(const cuda::Stream& stream, cuda::DeviceHeap& heap,
                                                 const algebra::Affine<F>& base);

/// points[i] = scalars[i]·base for i < n < 2^30. `sums` and `scratch` hold n elements each.
template <class Fr, class F>
void multiply_fixed_base(const cuda::Stream& stream, const FixedBaseTable<F>& table, const Fr* scalars,
                         std::uint64_t n, algebra::Xyzz<F>* sums, F* scratch, algebra::Affine<F>* points);

}  // namespace penstock::msm
