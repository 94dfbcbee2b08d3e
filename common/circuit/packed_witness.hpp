// The packed witness: what travels from synthesis to the device. Blocks of 1,024 wires, each with its own
// offset, so that blocks decode in parallel and independently: booleans as bits, small values by width, the
// rest whole. Shape: header {magic u32, version u16, curve u8, reserved u8, wires u64, blocks u32, reserved
// u32}, block offsets
//   u32/u64 table, then the blocks (layout in common/circuit/README.md). Little endian.
// Size: >= 30 times smaller than raw when 2 % of the values are full-width; never above 1.01 times raw +
// header. Cost: >= 2 GB/s of raw witness per core, both ways. Errors: decoding is hostile-safe: bad_format,
// size_mismatch, not_canonical.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/result.hpp"
#include "common/circuit/witness.hpp"

namespace penstock::circuit {

inline constexpr std::size_t packed_block_wires = 1024;

/// Upper bound of the packed size for this many wires: what a slab must hold.
[[nodiscard]] std::size_t packed_size_bound(std::uint64_t wires);

/// Encodes into `out` (REQUIRES out.size() >= packed_size_bound); returns the bytes written.
[[nodiscard]] std::size_t pack_witness(const WitnessView& witness, std::span<std::byte> out);

struct PackedShape {
  CurveId curve = CurveId::bn254;
  std::uint64_t wires = 0;
  std::uint32_t blocks = 0;
};
/// Checks the header and the offset table only.
[[nodiscard]] Result<PackedShape> packed_shape(std::span<const std::byte> packed);

/// Decodes all wires into `out` (REQUIRES out.size() == wires). Values are checked to be canonical.
[[nodiscard]] Status unpack_witness(std::span<const std::byte> packed, std::span<Scalar> out);
/// Decodes one block; `out` holds that block's wires. For parallel decoding.
[[nodiscard]] Status unpack_block(std::span<const std::byte> packed, const PackedShape& shape,
                                  std::uint32_t block, std::span<Scalar> out);

}  // namespace penstock::circuit
