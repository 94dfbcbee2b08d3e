// A checksum of bytes that lie in memory shared with others: it tells a slab that somebody else wrote into
// from one that nobody did. Against faults, not against an adversary.
// Shape: the sum, over the 8-byte words, of a product that mixes the word with its position. A sum has no
// order: pieces may be added as they are made, in any order, from several threads' partial sums.
// Cost: one 64 x 64-bit product a word; faster than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace penstock {

class Checksum {
 public:
  /// Adds bytes that lie at `offset` of the whole. REQUIRES offset is a multiple of 8; only the last piece
  /// may end elsewhere.
  void add(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Never 0: 0 says on the wire that none was taken.
  [[nodiscard]] std::uint64_t value() const { return sum_ == 0 ? 1 : sum_; }

 private:
  std::uint64_t sum_ = 0;
};

[[nodiscard]] inline std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  Checksum checksum;
  checksum.add(0, bytes);
  return checksum.value();
}

}  // namespace penstock
