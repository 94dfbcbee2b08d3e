#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "common/algebra/lanes_path.hpp"
#include "common/base/checksum.hpp"
#include "common/base/sensitive.hpp"
#include "common/circuit/packed_layout.hpp"
#include "common/circuit/packed_witness.hpp"
#include "common/circuit/wire_tests.hpp"

namespace penstock::circuit {
namespace {

using namespace packed;

constexpr std::size_t words_per_block = block_wires / 64;

/// One bit a wire: which bits are set, and which wires are as wide as that and no narrower.
struct BlockMasks {
  std::uint64_t ones[words_per_block];
  std::uint64_t of_width[width_count][words_per_block];
};

struct Limbs {
  std::uint64_t limb[4];
};
Limbs load(const std::byte* wire) {
  Limbs limbs;
  std::memcpy(&limbs, wire, sizeof(limbs));
  return limbs;
}

/// A mask filled from the top: after 64 steps its bit i is what step i shifted in.
void shift_in(std::uint64_t& mask, bool bit) {
  mask = (mask >> 1) | (std::uint64_t{bit} << 63);
}

/// Up to 64 wires, one by one. No branch depends on the values: a witness of mixed kinds costs what a regular
/// one does.
WireTests test_wires(const std::byte* wires, std::uint32_t count) {
  WireTests tests;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto [limb] = load(wires + i * value_bytes);
    const std::uint64_t high = limb[1] | limb[2] | limb[3];
    shift_in(tests.odd, (limb[0] & 1) != 0);
    shift_in(tests.not_bit, (high | (limb[0] >> 1)) != 0);
    shift_in(tests.full_width, high != 0);
  }
  if ((tests.not_bit & ~tests.full_width) != 0)
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto low = load(wires + i * value_bytes).limb[0];
      shift_in(tests.above_32, low > 0xFFFFFFFF);
      shift_in(tests.above_16, low > 0xFFFF);
      shift_in(tests.above_8, low > 0xFF);
    }
  const std::uint32_t missing = 64 - count;  // below 64: a word has at least one wire
  for (std::uint64_t* bits :
       {&tests.odd, &tests.not_bit, &tests.full_width, &tests.above_32, &tests.above_16, &tests.above_8})
    *bits >>= missing;
  return tests;
}

/// The masks of up to 64 wires.
void classify_word(const std::byte* wires, std::uint32_t count, std::size_t word, BlockMasks& masks) {
#if PENSTOCK_LANES
  const bool in_lanes = count == 64 && algebra::active_lanes() == algebra::LanePath::ifma;
  const WireTests tests = in_lanes ? test_wires_in_lanes(wires) : test_wires(wires, count);
#else
  const WireTests tests = test_wires(wires, count);
#endif
  const std::uint64_t narrow = tests.not_bit & ~tests.full_width;
  masks.ones[word] = tests.odd & ~tests.not_bit;
  masks.of_width[0][word] = tests.full_width;
  masks.of_width[1][word] = narrow & tests.above_32;
  masks.of_width[2][word] = narrow & tests.above_16 & ~tests.above_32;
  masks.of_width[3][word] = narrow & tests.above_8 & ~tests.above_16;
  masks.of_width[4][word] = narrow & ~tests.above_8;
}

BlockHead head_of(const BlockMasks& masks, std::size_t words) {
  BlockHead head{0};
  for (int width = 0; width < width_count; ++width) {
    std::uint64_t count = 0;
    for (std::size_t word = 0; word < words; ++word)
      count += static_cast<std::uint64_t>(std::popcount(masks.of_width[width][word]));
    head.word |= count << (width * BlockHead::count_bits);
  }
  return head;
}

/// Appends the values of one width and their wires' indices.
template <int width>
void write_values(const BlockMasks& masks, std::size_t words, const std::byte* wires, std::byte* values,
                  std::byte*& indices) {
  constexpr auto size = width_bytes(width);
  for (std::size_t word = 0; word < words; ++word)
    for (auto rest = masks.of_width[width][word]; rest != 0; rest &= rest - 1) {
      const auto wire =
          static_cast<std::uint16_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      std::memcpy(values, wires + wire * value_bytes, size);
      std::memcpy(indices, &wire, sizeof(wire));
      values += size;
      indices += sizeof(wire);
    }
}

std::size_t write_raw(const std::byte* wires, std::uint32_t count, std::byte* out) {
  std::memcpy(out, &raw_head, sizeof(raw_head));
  std::memcpy(out + sizeof(raw_head), wires, count * value_bytes);
  return raw_block_bytes(count);
}

std::size_t pack_block(const std::byte* wires, std::uint32_t count, std::byte* out) {
  const std::size_t words = (count + 63) / 64;
  BlockMasks masks;
  for (std::size_t word = 0; word < words; ++word) {
    const auto first = static_cast<std::uint32_t>(word * 64);
    classify_word(wires + first * value_bytes, std::min(count - first, 64U), word, masks);
  }
  const auto head = head_of(masks, words);
  const auto layout = layout_of(head, count);
  if (layout.end >= raw_block_bytes(count)) return write_raw(wires, count, out);
  std::memset(out + layout.end - unit_bytes, 0, unit_bytes);  // the padding
  std::memcpy(out, &head, sizeof(head));
  std::memcpy(out + layout.bits, masks.ones, words * sizeof(masks.ones[0]));
  auto* indices = out + layout.indices;
  write_values<0>(masks, words, wires, out + layout.values[0], indices);
  write_values<1>(masks, words, wires, out + layout.values[1], indices);
  write_values<2>(masks, words, wires, out + layout.values[2], indices);
  write_values<3>(masks, words, wires, out + layout.values[3], indices);
  write_values<4>(masks, words, wires, out + layout.values[4], indices);
  return layout.end;
}

Header header_of(const WitnessView& witness) {
  const std::uint64_t wires = witness.values.size();
  return {.magic_number = magic,
          .version_number = version,
          .curve = static_cast<std::uint8_t>(witness.curve),
          .reserved0 = 0,
          .wires = wires,
          .blocks = static_cast<std::uint32_t>(blocks_of(wires)),
          .reserved1 = 0};
}

/// The block's place in the offset table.
void enter_offset(std::span<std::byte> packed, std::uint64_t block, std::size_t place) {
  const auto units = static_cast<std::uint32_t>(place / unit_bytes);
  std::memcpy(packed.data() + sizeof(Header) + block * sizeof(units), &units, sizeof(units));
}

}  // namespace

std::size_t packed_size_bound(std::uint64_t wires) {
  const auto blocks = blocks_of(wires);
  return first_block_offset(blocks) + blocks * sizeof(BlockHead) + wires * value_bytes;
}

CheckedPack pack_witness_checked(const WitnessView& witness, std::span<std::byte> out) {
  const std::uint64_t wires = witness.values.size();
  const auto blocks = blocks_of(wires);
  std::vector<std::byte> front(first_block_offset(blocks));  // nothing secret: sizes
  SensitiveVector<std::byte> buffer(raw_block_bytes(block_wires));
  const std::span<std::byte> block_bytes = buffer.reveal();
  Checksum checksum;
  std::size_t place = front.size();
  const auto* values = witness.values.bytes().data();
  for (std::uint64_t block = 0; block < blocks; ++block) {
    enter_offset(front, block, place);
    const std::size_t size = pack_block(values + block * block_wires * value_bytes,
                                        wires_in_block(wires, block), block_bytes.data());
    checksum.add(place, block_bytes.first(size));
    std::memcpy(out.data() + place, block_bytes.data(), size);
    place += size;
  }
  enter_offset(front, blocks, place);
  const Header header = header_of(witness);
  std::memcpy(front.data(), &header, sizeof(header));
  checksum.add(0, front);
  std::memcpy(out.data(), front.data(), front.size());
  return {place, checksum.value()};
}

std::size_t pack_witness(const WitnessView& witness, std::span<std::byte> out) {
  const std::uint64_t wires = witness.values.size();
  const auto blocks = blocks_of(wires);
  const Header header = header_of(witness);
  std::memcpy(out.data(), &header, sizeof(header));
  std::size_t place = first_block_offset(blocks);
  std::memset(out.data() + place - unit_bytes, 0, unit_bytes);  // the table's padding
  const auto* values = witness.values.bytes().data();
  for (std::uint64_t block = 0; block < blocks; ++block) {
    enter_offset(out, block, place);
    place += pack_block(values + block * block_wires * value_bytes, wires_in_block(wires, block),
                        out.data() + place);
  }
  enter_offset(out, blocks, place);
  return place;
}

}  // namespace penstock::circuit
