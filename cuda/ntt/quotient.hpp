// The pointwise steps around the transforms of the quotient polynomial.
// Shape: vectors of 2^log2n elements. Enqueue, do not synchronise. Errors: CudaError from a launch.
#pragma once

#include <cstdint>

#include "cuda/device/device_memory.hpp"

namespace penstock::ntt {

/// c = a·b, elementwise.
template <class Fr>
void multiply_pointwise(const cuda::Stream& stream, const Fr* a, const Fr* b, Fr* c, std::uint64_t n);

/// a = plain integers of (a·b - n·c)/n²: the H scalars, from N times the values on the coset.
template <class Fr>
void quotient_scalars(const cuda::Stream& stream, Fr* a, const Fr* b, const Fr* c, std::uint64_t n);

/// Plain integers to Montgomery form, in place.
template <class Fr>
void to_montgomery(const cuda::Stream& stream, Fr* values, std::uint64_t n);

}  // namespace penstock::ntt
