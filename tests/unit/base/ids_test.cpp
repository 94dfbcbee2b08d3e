#include "common/base/ids.hpp"

#include <gmock/gmock.h>

#include <set>
#include <unordered_set>

namespace penstock {
namespace {

TEST(Ids, of_different_kinds_are_different_types) {
  static_assert(!std::is_convertible_v<JobId, CircuitId>);
  static_assert(!std::is_convertible_v<std::string, JobId>);
  EXPECT_EQ(JobId("a"), JobId("a"));
  EXPECT_LT(JobId("a"), JobId("b"));
  std::unordered_set<WorkerName> names = {WorkerName("x"), WorkerName("x")};
  EXPECT_EQ(names.size(), 1u);
}

TEST(Ids, tokens_grow) {
  EXPECT_LT(FencingToken{1}, FencingToken{2});
}

TEST(Uuid, is_of_version_4_and_never_the_same) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = random_uuid();
    ASSERT_THAT(uuid,
                testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    ASSERT_TRUE(is_safe_name(uuid));
    ASSERT_TRUE(seen.insert(uuid).second);
  }
}

TEST(SafeName, is_safe_as_a_path_component) {
  for (const char* good : {"a", "merkle-20", "Circuit_1.2", "0"}) EXPECT_TRUE(is_safe_name(good)) << good;
  for (const char* bad : {"", ".", "..", ".hidden", "a/b", "a b", "a\n", "\xc3\xa9", "a\\b", "a%2f"})
    EXPECT_FALSE(is_safe_name(bad)) << bad;
  EXPECT_TRUE(is_safe_name(std::string(64, 'x')));
  EXPECT_FALSE(is_safe_name(std::string(65, 'x')));
  EXPECT_FALSE(is_safe_name(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace penstock
