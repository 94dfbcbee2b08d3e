#include "common/base/checksum.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace penstock {
namespace {

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937_64 random(size);
  std::vector<std::byte> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(Checksum, pieces_add_up_to_the_whole_in_any_order) {
  const auto bytes = random_bytes(1003);
  const std::span<const std::byte> all(bytes);
  Checksum pieces;
  pieces.add(512, all.subspan(512));
  pieces.add(8, all.subspan(8, 504));
  pieces.add(0, all.first(8));
  EXPECT_EQ(pieces.value(), checksum_of(all));
}

TEST(Checksum, every_single_bit_matters) {
  auto bytes = random_bytes(37);
  std::set<std::uint64_t> seen = {checksum_of(bytes)};
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    seen.insert(checksum_of(bytes));
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  EXPECT_EQ(seen.size(), 1 + bytes.size() * 8);
}

TEST(Checksum, words_that_change_places_are_noticed) {
  std::vector<std::byte> bytes(64, std::byte{0});
  std::set<std::uint64_t> seen;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    bytes[at] = std::byte{1};
    seen.insert(checksum_of(bytes));
    bytes[at] = std::byte{0};
  }
  EXPECT_EQ(seen.size(), 8u);
}

TEST(Checksum, is_never_zero_which_says_that_there_is_none) {
  EXPECT_NE(checksum_of({}), 0u);
  EXPECT_NE(Checksum().value(), 0u);
}

}  // namespace
}  // namespace penstock
