#include <cstring>
#include <string>

#include "common/circuit/curve_primes.hpp"
#include "common/circuit/packed_layout.hpp"
#include "common/circuit/packed_witness.hpp"

namespace penstock::circuit {
namespace {

using namespace packed;

Error bad(ErrorCode code, std::uint64_t offset, std::string what) {
  return Error{.code = code, .what = "packed witness: " + std::move(what), .offset = offset};
}

/// REQUIRES: the table lies within `packed`.
std::uint64_t block_offset(std::span<const std::byte> packed, std::uint64_t block) {
  std::uint32_t units;
  std::memcpy(&units, packed.data() + sizeof(Header) + block * sizeof(units), sizeof(units));
  return std::uint64_t{units} * unit_bytes;
}

Status check_header(const Header& header) {
  if (header.magic_number != magic) return bad(ErrorCode::bad_magic, 0, "the magic number is wrong");
  if (header.version_number != version)
    return bad(ErrorCode::unsupported_version, 4, "version " + std::to_string(header.version_number));
  if (header.curve >= curve_names.size() || header.reserved0 != 0 || header.reserved1 != 0)
    return bad(ErrorCode::bad_format, 6, "unknown curve or a reserved field that is not zero");
  if (header.wires == 0 || header.wires > max_packed_wires)
    return bad(ErrorCode::count_out_of_range, 8, std::to_string(header.wires) + " wires");
  if (header.blocks != blocks_of(header.wires))
    return bad(ErrorCode::size_mismatch, 16, "the number of blocks does not fit the wires");
  return {};
}

/// One block's bytes, taken apart and checked.
class BlockReader {
 public:
  BlockReader(std::span<const std::byte> bytes, std::uint64_t offset, std::uint32_t wires,
              const Scalar& modulus)
      : bytes_(bytes), offset_(offset), wires_(wires), modulus_(modulus) {}

  [[nodiscard]] Status decode(std::span<Scalar> out) {
    if (bytes_.size() < sizeof(BlockHead))
      return refuse(ErrorCode::size_mismatch, 0, "a block without a head");
    std::memcpy(&head_, bytes_.data(), sizeof(head_));
    if (!head_.reserved_is_zero()) return refuse(ErrorCode::bad_format, 0, "a block's head has unknown bits");
    return head_.raw() ? decode_raw(out) : decode_split(out);
  }

 private:
  [[nodiscard]] Error refuse(ErrorCode code, std::uint64_t place, std::string what) const {
    return bad(code, offset_ + place, std::move(what));
  }

  [[nodiscard]] Status decode_raw(std::span<Scalar> out) {
    if (head_.word != raw_head || bytes_.size() != raw_block_bytes(wires_))
      return refuse(ErrorCode::size_mismatch, 0, "a raw block does not hold its wires");
    std::memcpy(out.data(), bytes_.data() + sizeof(head_), wires_ * value_bytes);
    for (std::uint32_t i = 0; i < wires_; ++i)
      if (!is_below(out[i], modulus_)) return not_canonical(sizeof(head_) + i * value_bytes);
    return {};
  }

  [[nodiscard]] Status decode_split(std::span<Scalar> out) {
    layout_ = layout_of(head_, wires_);
    if (layout_.total_values > wires_ || bytes_.size() != layout_.end)
      return refuse(ErrorCode::size_mismatch, 0, "a block's counts do not fit its size");
    std::uint64_t ones[block_wires / 64];
    const std::uint32_t words = (wires_ + 63) / 64;
    std::memcpy(ones, bytes_.data() + layout_.bits, words * sizeof(ones[0]));
    if (wires_ % 64 != 0 && ones[words - 1] >> (wires_ % 64) != 0)
      return refuse(ErrorCode::bad_format, layout_.bits, "bits beyond the last wire");
    for (std::uint32_t i = 0; i < wires_; ++i) out[i] = {(ones[i / 64] >> (i % 64)) & 1, 0, 0, 0};
    std::uint32_t rank = 0;
    std::uint64_t seen[block_wires / 64] = {};
    PENSTOCK_TRY(decode_width<0>(rank, ones, seen, out));
    PENSTOCK_TRY(decode_width<1>(rank, ones, seen, out));
    PENSTOCK_TRY(decode_width<2>(rank, ones, seen, out));
    PENSTOCK_TRY(decode_width<3>(rank, ones, seen, out));
    return decode_width<4>(rank, ones, seen, out);
  }

  /// The values of one width. A wire may be named once, in ascending order, and its bit must be zero: a
  /// device that decodes all values at the same time gets the same witness.
  template <int width>
  [[nodiscard]] Status decode_width(std::uint32_t& rank, const std::uint64_t* ones, std::uint64_t* seen,
                                    std::span<Scalar> out) {
    constexpr auto size = width_bytes(width);
    std::uint32_t previous = 0;
    for (std::uint32_t i = 0; i < head_.count(width); ++i, ++rank) {
      const auto place = layout_.indices + rank * sizeof(std::uint16_t);
      std::uint16_t wire;
      std::memcpy(&wire, bytes_.data() + place, sizeof(wire));
      if (wire >= wires_)
        return refuse(ErrorCode::index_out_of_range, place, "an index beyond the block's wires");
      const std::uint64_t bit = std::uint64_t{1} << (wire % 64);
      if ((i > 0 && wire <= previous) || ((ones[wire / 64] | seen[wire / 64]) & bit) != 0)
        return refuse(ErrorCode::bad_format, place, "a wire is given twice or out of order");
      seen[wire / 64] |= bit;
      previous = wire;
      const auto value_place = layout_.values[width] + i * size;
      std::memcpy(out[wire].data(), bytes_.data() + value_place, size);
      if (width == 0 && !is_below(out[wire], modulus_)) return not_canonical(value_place);
    }
    return {};
  }

  [[nodiscard]] Error not_canonical(std::uint64_t place) const {
    return refuse(ErrorCode::not_canonical, place, "a value is not below the scalar field's prime");
  }

  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
  std::uint32_t wires_;
  const Scalar& modulus_;
  BlockHead head_{0};
  BlockLayout layout_{};
};

Status decode_block(std::span<const std::byte> packed, const PackedShape& shape, std::uint32_t block,
                    const Scalar& modulus, std::span<Scalar> out) {
  const auto begin = block_offset(packed, block);
  const auto end = block_offset(packed, std::uint64_t{block} + 1);
  BlockReader reader(packed.subspan(begin, end - begin), begin, wires_in_block(shape.wires, block), modulus);
  PENSTOCK_TRY(reader.decode(out));
  if (block == 0 && out[0] != Scalar{1, 0, 0, 0})
    return bad(ErrorCode::not_canonical, begin, "wire 0 is not the constant one");
  return {};
}

}  // namespace

Result<PackedShape> packed_shape(std::span<const std::byte> packed) {
  Header header;
  if (packed.size() < sizeof(header)) return bad(ErrorCode::file_truncated, packed.size(), "no whole header");
  std::memcpy(&header, packed.data(), sizeof(header));
  PENSTOCK_TRY(check_header(header));
  std::uint64_t previous = first_block_offset(header.blocks);
  if (packed.size() < previous) return bad(ErrorCode::file_truncated, packed.size(), "no whole offset table");
  for (std::uint64_t block = 0; block <= header.blocks; ++block) {
    const auto offset = block_offset(packed, block);
    const bool in_order = block == 0 ? offset == previous : offset >= previous + sizeof(BlockHead);
    if (!in_order || offset > packed.size())
      return bad(ErrorCode::size_mismatch, sizeof(header) + block * sizeof(std::uint32_t),
                 "the offset of block " + std::to_string(block) + " is out of place");
    previous = offset;
  }
  if (previous != packed.size()) return bad(ErrorCode::size_mismatch, previous, "bytes after the last block");
  return PackedShape{static_cast<CurveId>(header.curve), header.wires, header.blocks};
}

Status unpack_witness(std::span<const std::byte> packed, std::span<Scalar> out) {
  const auto shape = PENSTOCK_TRY(packed_shape(packed));
  if (out.size() != shape.wires)
    return bad(ErrorCode::size_mismatch, 8,
               std::to_string(shape.wires) + " wires where " + std::to_string(out.size()) + " were expected");
  const Scalar modulus = scalar_modulus(shape.curve);
  for (std::uint32_t block = 0; block < shape.blocks; ++block) {
    const auto wires = out.subspan(block * block_wires, wires_in_block(shape.wires, block));
    PENSTOCK_TRY(decode_block(packed, shape, block, modulus, wires));
  }
  return {};
}

Status unpack_block(std::span<const std::byte> packed, const PackedShape& shape, std::uint32_t block,
                    std::span<Scalar> out) {
  return decode_block(packed, shape, block, scalar_modulus(shape.curve), out);
}

}  // namespace penstock::circuit
