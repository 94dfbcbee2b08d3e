#include "common/base/unaligned.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace penstock {
namespace {

TEST(UnalignedSpan, reads_records_at_any_offset) {
  const std::array<std::uint64_t, 3> records = {1, 2, 3};
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<std::byte> bytes(shift + sizeof records);
    std::memcpy(bytes.data() + shift, records.data(), sizeof records);
    const UnalignedSpan<std::uint64_t> view(std::span<const std::byte>(bytes).subspan(shift));
    ASSERT_EQ(view.size(), 3u);
    EXPECT_EQ(view[0], 1u);
    EXPECT_EQ(view[2], 3u);
    EXPECT_EQ(view.subspan(1, 2)[0], 2u);
    EXPECT_EQ(view.subspan(1, 2).size(), 2u);
  }
}

TEST(UnalignedSpan, ignores_a_tail_that_fills_no_record) {
  const std::vector<std::byte> bytes(15);
  EXPECT_EQ(UnalignedSpan<std::uint64_t>(std::span<const std::byte>(bytes)).size(), 1u);
}

TEST(UnalignedSpan, views_an_array_and_its_bytes) {
  const std::array<std::uint32_t, 2> records = {7, 8};
  const UnalignedSpan<std::uint32_t> view{std::span<const std::uint32_t>(records)};
  EXPECT_EQ(view[1], 8u);
  EXPECT_EQ(view.bytes().size(), 8u);
  EXPECT_TRUE(UnalignedSpan<int>().empty());
}

}  // namespace
}  // namespace penstock
