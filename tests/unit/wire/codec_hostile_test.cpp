// Damaged bytes: decode answers, it never crashes and never allocates out of proportion to what it was given.
#include <gtest/gtest.h>

#include <malloc.h>

#include <cstring>
#include <random>

#include "common/wire/codec.hpp"
#include "tests/unit/wire/sample_messages.hpp"

namespace penstock::wire {
namespace {

using test::sample_messages;

/// Decoding may fail or not, but what it returns must be a message that encodes again.
void expect_survival(std::span<const std::byte> bytes) {
  const auto decoded = decode(bytes);
  if (decoded.ok()) {
    EXPECT_FALSE(encode(decoded.value()).empty());
  }
}

TEST(HostileBytes, every_truncation_is_refused) {
  for (const auto& message : sample_messages()) {
    const auto bytes = encode(message);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(decode(std::span(bytes).first(size)).ok())
          << "message " << message.index() << ", " << size << " bytes";
  }
}

TEST(HostileBytes, trailing_bytes_are_refused) {
  for (const auto& message : sample_messages()) {
    auto bytes = encode(message);
    bytes.resize(bytes.size() + 8);
    EXPECT_FALSE(decode(bytes).ok());
  }
}

TEST(HostileBytes, every_flipped_bit_is_survived) {
  for (const auto& message : sample_messages()) {
    auto bytes = encode(message);
    const std::size_t bits = std::min<std::size_t>(bytes.size(), 400) * 8;
    for (std::size_t bit = 0; bit < bits; ++bit) {
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
      expect_survival(bytes);
      bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    }
  }
}

TEST(HostileBytes, random_damage_is_survived) {
  std::mt19937_64 random(7);
  const auto messages = sample_messages();
  for (int round = 0; round < 20000; ++round) {
    auto bytes = encode(messages[random() % messages.size()]);
    const auto damages = 1 + random() % 8;
    for (std::uint64_t i = 0; i < damages; ++i) {
      const std::size_t word = random() % (bytes.size() / 8);
      const std::uint64_t value = random() % 3 == 0 ? ~std::uint64_t{0} : random() >> (random() % 64);
      std::memcpy(bytes.data() + word * 8, &value, 8);
    }
    expect_survival(bytes);
  }
}

TEST(HostileBytes, random_words_are_survived) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes((random() % 40) * 8 + random() % 2);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
    expect_survival(bytes);
  }
}

// A segment table that claims 4 G segments, or a segment of 4 G words.
TEST(HostileBytes, huge_claims_are_refused_before_anything_is_allocated) {
  for (const std::uint64_t head :
       {0x00000000FFFFFFFFull, 0xFFFFFFFF00000000ull, 0xFFFFFFFFFFFFFFFFull, 0x7FFFFFFF000001FFull}) {
    std::vector<std::byte> bytes(64);
    std::memcpy(bytes.data(), &head, 8);
    const auto before = mallinfo2();
    EXPECT_FALSE(decode(bytes).ok());
    const auto after = mallinfo2();
    EXPECT_LT(after.arena + after.hblkhd, before.arena + before.hblkhd + (std::size_t{1} << 20));
  }
}

// One list of 2^29 - 1 void structs costs no bytes; the element count alone must be refused.
TEST(HostileBytes, an_amplified_list_is_refused) {
  auto bytes = encode(Welcome{Incarnation("q"), {}, {}, {CircuitRef{CircuitId(std::string(64, 'a')), "n"}}});
  int refused = 0;
  for (std::size_t word = 1; word < bytes.size() / 8; ++word) {
    auto damaged = bytes;
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, damaged.data() + word * 8, 8);
    if ((pointer & 3) != 1) continue;  // not a list pointer
    pointer =
        (pointer & 0xFFFFFFFFull) | (std::uint64_t{0x1FFFFFFF} << 35);  // void elements, 2^29 - 1 of them
    std::memcpy(damaged.data() + word * 8, &pointer, 8);
    refused += decode(damaged).ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 0);
}

TEST(HostileBytes, a_frame_above_the_limit_is_named) {
  const std::vector<std::byte> bytes(max_message_bytes + 8);
  const auto decoded = decode(bytes);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().code, ErrorCode::body_too_large);
}

}  // namespace
}  // namespace penstock::wire
