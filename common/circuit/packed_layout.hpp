// Where everything lies inside a packed witness: pure arithmetic, shared by the encoder, the host decoder and
// the device's kernel. The picture and the reasons are in common/circuit/README.md. Shape: header (24 bytes)
// | offset table (blocks + 1 u32, in units of 8 bytes from the start; padded to 8) | blocks.
//   A block: u64 head, then either its wires raw (32 bytes each), or
//   bits (one u64 a 64 wires) | 32-byte values | 8-byte | 4-byte | 2-byte | u16 wire indices | 1-byte values
//   | padding. The indices name, in the same order (32, 8, 4, 2, 1), the wires that are not bits; ascending
//   within a width.
// Little endian; everything but the tail of a block is aligned to its own size when the buffer is aligned
// to 8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/host_device.hpp"

namespace penstock::circuit::packed {

inline constexpr std::uint32_t magic = 0x74776b70;  // "pkwt"
inline constexpr std::uint16_t version = 1;
inline constexpr std::size_t unit_bytes = 8;  ///< of the offset table; blocks begin and end on it
inline constexpr std::size_t value_bytes = 32;
inline constexpr std::size_t block_wires = 1024;

struct Header {
  std::uint32_t magic_number;
  std::uint16_t version_number;
  std::uint8_t curve;
  std::uint8_t reserved0;
  std::uint64_t wires;
  std::uint32_t blocks;
  std::uint32_t reserved1;
};
static_assert(sizeof(Header) == 24);

/// Widths of values that are not bits, in the order of storage.
inline constexpr int width_count = 5;
PENSTOCK_HD constexpr std::uint32_t width_bytes(int width) {
  return width == 0 ? 32 : width == 1 ? 8 : width == 2 ? 4 : width == 3 ? 2 : 1;
}

PENSTOCK_HD constexpr std::uint64_t rounded_up(std::uint64_t size) {
  return (size + unit_bytes - 1) / unit_bytes * unit_bytes;
}
PENSTOCK_HD constexpr std::uint64_t blocks_of(std::uint64_t wires) {
  return (wires + block_wires - 1) / block_wires;
}
/// Offset of block 0.
PENSTOCK_HD constexpr std::uint64_t first_block_offset(std::uint64_t blocks) {
  return sizeof(Header) + rounded_up((blocks + 1) * sizeof(std::uint32_t));
}
PENSTOCK_HD constexpr std::uint32_t wires_in_block(std::uint64_t wires, std::uint64_t block) {
  const std::uint64_t left = wires - block * block_wires;
  return static_cast<std::uint32_t>(left < block_wires ? left : block_wires);
}

/// A block's first 8 bytes: 11 bits a width (how many values), then one bit for raw; the rest is zero.
struct BlockHead {
  std::uint64_t word;

  static constexpr int count_bits = 11;
  static constexpr std::uint64_t count_mask = (1U << count_bits) - 1;
  static constexpr int raw_bit = width_count * count_bits;

  PENSTOCK_HD constexpr std::uint32_t count(int width) const {
    return static_cast<std::uint32_t>((word >> (width * count_bits)) & count_mask);
  }
  PENSTOCK_HD constexpr bool raw() const { return (word >> raw_bit) & 1; }
  PENSTOCK_HD constexpr bool reserved_is_zero() const { return word >> (raw_bit + 1) == 0; }
};
inline constexpr std::uint64_t raw_head = std::uint64_t{1} << BlockHead::raw_bit;

/// Offsets inside a block that is not raw, from its beginning.
struct BlockLayout {
  std::uint32_t bits, values[width_count], indices, total_values, end;
};
PENSTOCK_HD constexpr BlockLayout layout_of(BlockHead head, std::uint32_t wires) {
  BlockLayout layout{};
  layout.bits = sizeof(BlockHead);
  std::uint32_t place = layout.bits + (wires + 63) / 64 * 8;
  for (int width = 0; width < width_count - 1; ++width) {
    layout.values[width] = place;
    place += head.count(width) * width_bytes(width);
    layout.total_values += head.count(width);
  }
  layout.total_values += head.count(width_count - 1);
  layout.indices = place;
  place += layout.total_values * static_cast<std::uint32_t>(sizeof(std::uint16_t));
  layout.values[width_count - 1] = place;
  place += head.count(width_count - 1);
  layout.end = static_cast<std::uint32_t>(rounded_up(place));
  return layout;
}
PENSTOCK_HD constexpr std::uint32_t raw_block_bytes(std::uint32_t wires) {
  return static_cast<std::uint32_t>(sizeof(BlockHead) + wires * value_bytes);
}

}  // namespace penstock::circuit::packed
