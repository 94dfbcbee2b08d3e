// The packed witness: what travels from synthesis to the device. Blocks of 1,024 wires, each with its own
// offset, so that blocks decode in parallel and independently: booleans as bits, small values by width, the
// rest whole. Shape: packed_layout.hpp (drawn in common/circuit/README.md). Little endian. Ownership: buffers
// are the caller's; nothing is allocated. Threads: no state. Errors: decoding is hostile-safe:
// file_truncated, bad_magic, unsupported_version, count_out_of_range, size_mismatch,
//   index_out_of_range, bad_format, not_canonical (a value >= r, or wire 0 is not 1), with the offset.
// Size: >= 30 times smaller than raw when 2 % of the values are full-width; never above 1.01 times raw plus
// 64 bytes. Cost: measured by penstock_codec_bench (common/circuit/README.md): above 4 GB/s of raw witness a
// core, both ways.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/result.hpp"
#include "common/circuit/packed_layout.hpp"
#include "common/circuit/witness.hpp"

namespace penstock::circuit {

inline constexpr std::size_t packed_block_wires = packed::block_wires;
/// The offset table reaches 32 GiB; no domain of either curve has room for so many wires that differ.
inline constexpr std::uint64_t max_packed_wires = 1'000'000'000;

/// Upper bound of the packed size for this many wires: what a slab must hold.
[[nodiscard]] std::size_t packed_size_bound(std::uint64_t wires);

/// Encodes into `out`; returns the bytes written, a multiple of 8. Values are taken as they are: check them
/// before. REQUIRES out.size() >= packed_size_bound(witness.values.size()), 1 <= wires <= max_packed_wires.
[[nodiscard]] std::size_t pack_witness(const WitnessView& witness, std::span<std::byte> out);

/// As pack_witness, for a slab, which another process might still write to: `checksum` (Checksum::value) is
/// of what was encoded, taken before it reaches `out`. Cost: one copy of each block, from the core's cache.
struct CheckedPack {
  std::uint64_t used_bytes = 0, checksum = 0;
};
[[nodiscard]] CheckedPack pack_witness_checked(const WitnessView& witness, std::span<std::byte> out);

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
/// REQUIRES `shape` is what packed_shape(packed) gave, block < shape.blocks.
[[nodiscard]] Status unpack_block(std::span<const std::byte> packed, const PackedShape& shape,
                                  std::uint32_t block, std::span<Scalar> out);

}  // namespace penstock::circuit
