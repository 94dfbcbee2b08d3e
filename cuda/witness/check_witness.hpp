// Witness values on the device: are they canonical, is the first wire the constant one?
// Enqueues, does not synchronise: the verdict is read with the proof.
#pragma once

#include <cstdint>

#include "cuda/device/device_memory.hpp"
#include "cuda/msm/msm.hpp"

namespace penstock::witness {

/// Verdict bits, OR-ed into *verdict, which the caller has zeroed.
inline constexpr std::uint32_t value_not_canonical = 1;
inline constexpr std::uint32_t first_wire_not_one = 2;
inline constexpr std::uint32_t malformed = 4;

/// *wide += how many of the values are neither small nor small negatives (msm::narrow_below). The caller has
/// zeroed it; a value that is not canonical is counted. Cost: one read of the values.
void count_wide(const cuda::Stream& stream, const msm::Scalar* values, std::uint64_t n,
                const std::uint64_t (&modulus)[4], std::uint32_t* wide);
/// Every value below the modulus? Cost: one read of the values.
void check_values(const cuda::Stream& stream, const msm::Scalar* values, std::uint64_t n,
                  const std::uint64_t (&modulus)[4], std::uint32_t* verdict);
/// values[0] = 1?
void check_first_wire(const cuda::Stream& stream, const msm::Scalar* values, std::uint32_t* verdict);

}  // namespace penstock::witness
