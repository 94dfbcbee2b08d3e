#include <bit>
#include <cstring>

#include "common/circuit/packed_layout.hpp"
#include "common/circuit/packed_witness.hpp"

namespace penstock::circuit {
namespace {

using namespace packed;

constexpr std::size_t words_per_block = block_wires / 64;

/// Which wires of a block are bits, and which of those are set.
struct BlockBits {
  std::uint64_t ones[words_per_block];
  std::uint64_t others[words_per_block];
};

/// No branch depends on the values: a witness of random kinds costs what a regular one does.
BlockBits split_bits(const std::byte* wires, std::uint32_t count) {
  BlockBits split{};
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t limb[4];
    std::memcpy(limb, wires + i * value_bytes, sizeof(limb));
    const std::uint64_t above_bit = (limb[0] >> 1) | limb[1] | limb[2] | limb[3];
    const std::uint64_t other = above_bit != 0 ? 1 : 0;
    split.ones[i / 64] |= (limb[0] & 1 & ~other) << (i % 64);
    split.others[i / 64] |= other << (i % 64);
  }
  return split;
}

/// Index of the smallest width that holds the value: 0 (32 bytes) to 4 (1 byte).
std::uint32_t width_of(const std::byte* value) {
  std::uint64_t limb[4];
  std::memcpy(limb, value, sizeof(limb));
  if ((limb[1] | limb[2] | limb[3]) != 0) return 0;
  const std::uint64_t low = limb[0];
  return 1U + static_cast<std::uint32_t>(low <= 0xFFFFFFFF) + static_cast<std::uint32_t>(low <= 0xFFFF) +
         static_cast<std::uint32_t>(low <= 0xFF);
}

/// The wires that are not bits, and how wide each is.
struct Others {
  std::uint32_t total = 0;
  std::uint32_t counts[width_count] = {};
  std::uint16_t index[block_wires];
  std::uint8_t width[block_wires];
};

void collect_others(const BlockBits& split, const std::byte* wires, Others& others) {
  for (std::size_t word = 0; word < words_per_block; ++word)
    for (auto rest = split.others[word]; rest != 0; rest &= rest - 1) {
      const auto wire =
          static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(rest));
      const auto width = width_of(wires + wire * value_bytes);
      others.index[others.total] = static_cast<std::uint16_t>(wire);
      others.width[others.total++] = static_cast<std::uint8_t>(width);
      ++others.counts[width];
    }
}

std::size_t write_raw(const std::byte* wires, std::uint32_t count, std::byte* out) {
  std::memcpy(out, &raw_head, sizeof(raw_head));
  std::memcpy(out + sizeof(raw_head), wires, count * value_bytes);
  return raw_block_bytes(count);
}

std::size_t write_split(const BlockBits& split, const Others& others, const BlockHead& head,
                        const BlockLayout& layout, const std::byte* wires, std::byte* out) {
  std::memset(out + layout.end - unit_bytes, 0, unit_bytes);  // the padding
  std::memcpy(out, &head, sizeof(head));
  const std::uint32_t bits_bytes = layout.values[0] - layout.bits;
  std::memcpy(out + layout.bits, split.ones, bits_bytes);
  std::uint32_t rank[width_count];  // among all values, of the next value of each width
  for (std::uint32_t width = 0, before = 0; width < width_count; before += others.counts[width++])
    rank[width] = before;
  std::byte* next[width_count];
  for (int width = 0; width < width_count; ++width) next[width] = out + layout.values[width];
  for (std::uint32_t i = 0; i < others.total; ++i) {
    const auto width = others.width[i];
    const auto size = width_bytes(width);
    const auto* value = wires + others.index[i] * value_bytes;
    if (width == 0)
      std::memcpy(next[width], value, value_bytes);
    else
      std::memcpy(next[width], value, size);
    next[width] += size;
    std::memcpy(out + layout.indices + rank[width]++ * sizeof(std::uint16_t), &others.index[i],
                sizeof(std::uint16_t));
  }
  return layout.end;
}

std::size_t pack_block(const std::byte* wires, std::uint32_t count, std::byte* out) {
  const auto split = split_bits(wires, count);
  Others others;
  collect_others(split, wires, others);
  BlockHead head{0};
  for (int width = 0; width < width_count; ++width)
    head.word |= std::uint64_t{others.counts[width]} << (width * BlockHead::count_bits);
  const auto layout = layout_of(head, count);
  if (layout.end >= raw_block_bytes(count)) return write_raw(wires, count, out);
  return write_split(split, others, head, layout, wires, out);
}

}  // namespace

std::size_t packed_size_bound(std::uint64_t wires) {
  const auto blocks = blocks_of(wires);
  return first_block_offset(blocks) + blocks * sizeof(BlockHead) + wires * value_bytes;
}

std::size_t pack_witness(const WitnessView& witness, std::span<std::byte> out) {
  const std::uint64_t wires = witness.values.size();
  const auto blocks = blocks_of(wires);
  const Header header{.magic_number = magic,
                      .version_number = version,
                      .curve = static_cast<std::uint8_t>(witness.curve),
                      .reserved0 = 0,
                      .wires = wires,
                      .blocks = static_cast<std::uint32_t>(blocks),
                      .reserved1 = 0};
  std::memcpy(out.data(), &header, sizeof(header));
  std::size_t place = first_block_offset(blocks);
  auto* const table = out.data() + sizeof(header);
  std::memset(out.data() + place - unit_bytes, 0, unit_bytes);  // the table's padding
  const auto enter = [&](std::uint64_t block) {
    const auto units = static_cast<std::uint32_t>(place / unit_bytes);
    std::memcpy(table + block * sizeof(units), &units, sizeof(units));
  };
  const auto* values = witness.values.bytes().data();
  for (std::uint64_t block = 0; block < blocks; ++block) {
    enter(block);
    place += pack_block(values + block * block_wires * value_bytes, wires_in_block(wires, block),
                        out.data() + place);
  }
  enter(blocks);
  return place;
}

}  // namespace penstock::circuit
