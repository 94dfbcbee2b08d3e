// The device's field operations, elementwise, for the field suite. Enqueue, do not synchronise.
#pragma once

#include <cstdint>

#include "cuda/device/device_memory.hpp"

namespace penstock::cuda {

enum class Operation : std::uint8_t { add, subtract, multiply, square, inverse };

/// out[i] = a[i] ∘ b[i]. Fp2's products are the ones that share reductions.
template <class F>
void apply(const Stream& stream, Operation operation, const F* a, const F* b, F* out, std::uint64_t n);
/// The same over Fp2 by pairs of lanes (HalfFp2). REQUIRES an operation other than inverse.
template <class F>
void apply_by_halves(const Stream& stream, Operation operation, const F* a, const F* b, F* out,
                     std::uint64_t n);

}  // namespace penstock::cuda
