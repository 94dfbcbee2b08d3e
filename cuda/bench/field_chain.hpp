// Chains of products on the device: every thread its own, so latency is hidden by the other warps, as in the
// algorithms. Enqueues, does not synchronise. Errors: CudaError from a launch.
#pragma once

#include <cstdint>

#include "cuda/device/device_memory.hpp"

namespace penstock::cuda {

inline constexpr int chain_length = 256;

/// values[i] = values[i]^(chain_length + 1), by products with the first value.
template <class F>
void enqueue_products(const Stream& stream, F* values, std::uint64_t n);
/// values[i] squared chain_length times.
template <class F>
void enqueue_squares(const Stream& stream, F* values, std::uint64_t n);

}  // namespace penstock::cuda
