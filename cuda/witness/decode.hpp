// Decoding of packed witnesses (common/circuit/packed_layout.hpp) on the device.
// Shape: `packed` is a whole packed witness of `size_bytes` bytes in device memory, aligned to 8; `values`
// gets `wires` plain
//   scalars. The header was checked on the host (circuit::packed_shape); blocks are hostile and checked here.
// Enqueues, does not synchronise: a malformed block sets a bit of *verdict (check_witness.hpp), and writes
// stay in bounds. Canonical form is check_values' business. Cost: one read of the packed bytes, one write of
// the values.
#pragma once

#include <cstdint>

#include "cuda/witness/check_witness.hpp"

namespace penstock::witness {

void decode_packed(const cuda::Stream& stream, const std::byte* packed, std::uint64_t size_bytes,
                   std::uint64_t wires, msm::Scalar* values, std::uint32_t* verdict);

}  // namespace penstock::witness
