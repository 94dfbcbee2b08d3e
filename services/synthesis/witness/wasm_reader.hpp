// Reads the primitives of the WebAssembly binary format; every step is bounds-checked. Shape: a cursor that
// turns sticky on the first error (ok() is false from then on, reads give zeros). Ownership: a view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace penstock::synthesis {

class WasmReader {
 public:
  WasmReader(std::span<const std::byte> bytes, std::uint64_t base) : bytes_(bytes), base_(base) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool done() const { return position_ == bytes_.size(); }
  [[nodiscard]] std::uint64_t offset() const { return base_ + position_; }
  [[nodiscard]] std::size_t remaining() const { return bytes_.size() - position_; }

  std::uint8_t byte() {
    if (!ok_ || position_ == bytes_.size()) return fail();
    return static_cast<std::uint8_t>(bytes_[position_++]);
  }
  /// Unsigned LEB128 of at most 32 bits.
  std::uint32_t u32() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const std::uint64_t next = byte();
      value |= (next & 0x7f) << shift;
      if ((next & 0x80) == 0) return value <= 0xffffffffU ? static_cast<std::uint32_t>(value) : fail();
    }
    return fail();
  }
  /// A count of records of at least one byte each: never more than the bytes left.
  std::uint32_t count() {
    const std::uint32_t value = u32();
    return value <= remaining() ? value : fail();
  }
  std::span<const std::byte> bytes(std::uint32_t size) {
    if (!ok_ || size > remaining()) {
      fail();
      return {};
    }
    position_ += size;
    return bytes_.subspan(position_ - size, size);
  }
  std::string_view name() {
    const auto text = bytes(u32());
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

 private:
  std::uint8_t fail() {
    ok_ = false;
    return 0;
  }
  std::span<const std::byte> bytes_;
  std::uint64_t base_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace penstock::synthesis
