#include "common/base/sensitive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <sstream>

namespace penstock {
namespace {

using Secret = std::array<std::uint64_t, 4>;

template <class T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};

TEST(Sensitive, cannot_be_printed_or_copied) {
  static_assert(!Printable<Sensitive<int>>);
  static_assert(!std::is_copy_constructible_v<Sensitive<Secret>>);
  static_assert(!std::is_copy_constructible_v<SensitiveVector<int>>);
}

TEST(Sensitive, is_wiped_when_it_dies) {
  alignas(Sensitive<Secret>) std::array<std::byte, sizeof(Sensitive<Secret>)> memory{};
  auto* secret = new (memory.data()) Sensitive<Secret>(Secret{1, 2, 3, 4});
  EXPECT_EQ(secret->reveal()[3], 4u);
  secret->~Sensitive();
  EXPECT_TRUE(std::all_of(memory.begin(), memory.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST(Sensitive, leaves_nothing_behind_when_moved) {
  Sensitive<Secret> first(Secret{9, 9, 9, 9});
  Sensitive<Secret> second(std::move(first));
  EXPECT_EQ(first.reveal(), Secret{});  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(second.reveal()[0], 9u);
  first = std::move(second);
  EXPECT_EQ(second.reveal(), Secret{});  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(first.reveal()[0], 9u);
}

TEST(SensitiveVector, moves_and_clears) {
  SensitiveVector<int> first(3);
  first.reveal()[2] = 5;
  SensitiveVector<int> second(std::move(first));
  EXPECT_EQ(first.size(), 0u);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(second.reveal()[2], 5);
  second.clear();
  EXPECT_EQ(second.size(), 0u);
}

/// Where the memory of a vector has been, read before anybody else gets it. Freed memory of malloc keeps its
/// bytes but for the first two words, which its lists use.
TEST(WipingAllocator, leaves_nothing_behind_when_a_vector_grows_or_dies) {
#if PENSTOCK_ADDRESS_SANITIZER
  GTEST_SKIP() << "freed memory may not be read";
#else
  const std::uint64_t* place = nullptr;
  std::size_t capacity = 0;
  const auto remains = [&] {
    const volatile std::uint64_t* words = place;
    std::size_t count = 0;
    for (std::size_t i = 4; i < capacity; ++i) count += words[i] == 0xfeedULL;
    return count;
  };
  SecretVector<std::uint64_t> values(40, 0xfeed);
  place = values.data();
  capacity = values.capacity();
  values.resize(10);  // beyond the size there is still something
  EXPECT_EQ(remains(), 36U);
  values.resize(5000);
  EXPECT_EQ(remains(), 0U);
#endif
}

TEST(Wipe, takes_an_empty_range) {
  wipe({});
}

}  // namespace
}  // namespace penstock
