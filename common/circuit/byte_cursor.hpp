// Reads little-endian fields one after the other from part of a file, and knows where in the file it stands.
// Shape: a view; the bytes belong to the caller. Errors: the code given at construction, with the file
// offset.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "common/base/result.hpp"

namespace penstock::circuit {

static_assert(std::endian::native == std::endian::little, "files and memory share the little-endian form");

class ByteCursor {
 public:
  /// `what` names the part in errors; running past its end is `shortage`.
  ByteCursor(std::span<const std::byte> bytes, std::uint64_t file_offset, std::string what,
             ErrorCode shortage)
      : bytes_(bytes), file_offset_(file_offset), what_(std::move(what)), shortage_(shortage) {}

  [[nodiscard]] std::uint64_t remaining() const { return bytes_.size() - position_; }
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t file_offset() const { return file_offset_ + position_; }

  [[nodiscard]] Result<std::span<const std::byte>> take(std::uint64_t count) {
    if (count > remaining())
      return Error{.code = shortage_, .what = what_ + " ends too early", .offset = file_offset()};
    const auto taken = bytes_.subspan(position_, count);
    position_ += count;
    return taken;
  }
  [[nodiscard]] Result<std::uint32_t> u32() { return integer<std::uint32_t>(); }
  [[nodiscard]] Result<std::uint64_t> u64() { return integer<std::uint64_t>(); }

  /// Nothing may follow: size_mismatch otherwise.
  [[nodiscard]] Status expect_end() const {
    if (remaining() == 0) return {};
    return Error{.code = ErrorCode::size_mismatch,
                 .what = what_ + " is followed by " + std::to_string(remaining()) + " surplus bytes",
                 .offset = file_offset()};
  }

 private:
  template <class Integer>
  [[nodiscard]] Result<Integer> integer() {
    const auto bytes = PENSTOCK_TRY(take(sizeof(Integer)));
    Integer value;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }

  std::span<const std::byte> bytes_;
  std::uint64_t file_offset_;
  std::uint64_t position_ = 0;
  std::string what_;
  ErrorCode shortage_;
};

}  // namespace penstock::circuit
