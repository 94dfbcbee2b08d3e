#include "common/base/large_vector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace penstock {
namespace {

class LargeVectorOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LargeVectorOf, HoldsWhatIsWrittenWhileItGrows) {
  const std::size_t count = GetParam() / sizeof(std::uint64_t);
  LargeVector<std::uint64_t> values(count, 7);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), std::uint64_t{0}), 7 * count);
  std::iota(values.begin(), values.end(), 0);
  values.resize(2 * count + 1);
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), 5);
  const LargeVector<std::uint64_t> copy = values;
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(copy[i], i);
  EXPECT_EQ(copy.back(), 5U);
  LargeVector<std::uint64_t> taken = std::move(values);
  EXPECT_EQ(taken, copy);
}

INSTANTIATE_TEST_SUITE_P(Bytes, LargeVectorOf,
                         ::testing::Values(0, 8, large_bytes - 8, large_bytes, large_bytes + 8, 1 << 20,
                                           huge_page_bytes - 8, huge_page_bytes, huge_page_bytes + 8,
                                           3 * huge_page_bytes + 4096));

TEST(LargeMemory, BeginsAtAHugePageWhenItHoldsOne) {
#if PENSTOCK_ADDRESS_SANITIZER
  GTEST_SKIP() << "the sanitizer gives the memory";
#else
  for (const std::size_t bytes : {huge_page_bytes, huge_page_bytes + 1, 5 * huge_page_bytes - 1}) {
    void* memory = allocate_large(bytes, alignof(std::uint64_t));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % huge_page_bytes, 0U) << bytes;
    free_large(memory, bytes, alignof(std::uint64_t));
  }
#endif
}

TEST(LargeMemory, WhatCannotBeGivenThrows) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {most, most - 4095, most - huge_page_bytes, most / 2})
    EXPECT_THROW(static_cast<void>(allocate_large(bytes, 8)), std::bad_alloc) << bytes;
  EXPECT_THROW(static_cast<void>(LargeAllocator<std::uint64_t>().allocate(most / 4)), std::bad_alloc);
}

TEST(LargeMemory, OverAlignedElementsStayAligned) {
  struct alignas(64) Line {
    std::uint64_t words[8];
  };
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{3}, large_bytes / 64, huge_page_bytes / 64 + 1}) {
    const LargeVector<Line> lines(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lines.data()) % 64, 0U) << count;
  }
}

}  // namespace
}  // namespace penstock
