#include "common/runtime/config_values.hpp"

#include <gtest/gtest.h>

namespace penstock::runtime {
namespace {

using std::chrono::milliseconds;

TEST(ConfigValues, sizes_have_binary_and_decimal_units) {
  EXPECT_EQ(*parse_size("0"), 0u);
  EXPECT_EQ(*parse_size("4096"), 4096u);
  EXPECT_EQ(*parse_size("64MiB"), std::uint64_t{64} << 20);
  EXPECT_EQ(*parse_size("2 GB"), 2'000'000'000u);
  for (const char* bad : {"", "MiB", "-1", "1.5GiB", "64mib", "99999999999TiB", "1 2"})
    EXPECT_EQ(parse_size(bad).error().code, ErrorCode::bad_request) << bad;
}

TEST(ConfigValues, durations_need_a_unit) {
  EXPECT_EQ(*parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(*parse_duration("30s"), milliseconds(30000));
  EXPECT_EQ(*parse_duration("5m"), milliseconds(300000));
  EXPECT_EQ(*parse_duration("2h"), milliseconds(7200000));
  EXPECT_EQ(*parse_duration("0"), milliseconds(0));
  for (const char* bad : {"", "30", "s", "-1s", "1w", "999999999d"})
    EXPECT_FALSE(parse_duration(bad).ok()) << bad;
}

TEST(ConfigValues, numbers_keep_their_bounds) {
  EXPECT_EQ(*parse_number("-3", -5, 5), -3);
  for (const char* bad : {"", "6", "-6", "1x", "0x1", "99999999999999999999"})
    EXPECT_FALSE(parse_number(bad, -5, 5).ok()) << bad;
}

TEST(ConfigValues, flags_are_said_in_four_ways) {
  for (const char* yes : {"true", "yes", "on", "1"}) EXPECT_TRUE(*parse_flag(yes));
  for (const char* no : {"false", "no", "off", "0"}) EXPECT_FALSE(*parse_flag(no));
  EXPECT_FALSE(parse_flag("TRUE!").ok());
}

TEST(ConfigValues, what_is_printed_can_be_read_again) {
  for (const std::uint64_t bytes : {0ull, 1ull, 1000ull, 1024ull, 64ull << 20, 3ull << 40, 12345678901ull})
    EXPECT_EQ(*parse_size(size_text(bytes)), bytes);
  for (const std::int64_t time : {0, 1, 999, 1000, 60000, 90000, 86400000})
    EXPECT_EQ(*parse_duration(duration_text(milliseconds(time))), milliseconds(time));
}

TEST(ConfigValues, edit_distance_counts_edits_and_swaps) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("arena", "arena"), 0u);
  EXPECT_EQ(edit_distance("arean", "arena"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(ConfigValues, the_near_match_is_near) {
  const std::vector<std::string> keys = {"gpu.arena", "gpu.arena_bytes", "gpu.lanes"};
  EXPECT_EQ(near_match("gpu.arena_byte", keys), "gpu.arena_bytes");
  EXPECT_EQ(near_match("gpu.lane", keys), "gpu.lanes");
  EXPECT_EQ(near_match("unrelated", keys), std::nullopt);
  EXPECT_EQ(near_match(std::string(100000, 'x'), keys), std::nullopt);
}

}  // namespace
}  // namespace penstock::runtime
