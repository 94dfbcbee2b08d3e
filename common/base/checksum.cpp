#include "common/base/checksum.hpp"

#include <cstring>

namespace penstock {
namespace {

constexpr std::uint64_t step = 0x9e3779b97f4a7c15;    // 2^64 / golden ratio: positions far apart
constexpr std::uint64_t factor = 0xd6e8feb86659fd93;  // odd, dense

/// Both halves of the product: neither alone depends on all the bits of the word.
std::uint64_t mixed(std::uint64_t word, std::uint64_t key) {
  const auto product = static_cast<unsigned __int128>(word ^ key) * (key * factor | 1);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

void Checksum::add(std::uint64_t offset, std::span<const std::byte> bytes) {
  std::uint64_t key = (offset / sizeof(std::uint64_t) + 1) * step;
  const std::byte* at = bytes.data();
  std::uint64_t word = 0, sum = 0;
  for (std::size_t whole = bytes.size() / sizeof(word); whole > 0; --whole, key += step, at += sizeof(word)) {
    std::memcpy(&word, at, sizeof(word));
    sum += mixed(word, key);
  }
  if (const std::size_t rest = bytes.size() % sizeof(word); rest != 0) {
    word = 0;
    std::memcpy(&word, at, rest);
    sum += mixed(word, key);
  }
  sum_ += sum;
}

}  // namespace penstock
