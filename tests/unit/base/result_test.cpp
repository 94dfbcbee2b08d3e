#include "common/base/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace penstock {
namespace {

Result<int> parse(bool good) {
  if (good) return 7;
  return Error{.code = ErrorCode::bad_format, .what = "no number"};
}

Result<std::string> twice(bool good) {
  const int value = PENSTOCK_TRY(parse(good));
  return std::to_string(2 * value);
}

Status check(bool good) {
  PENSTOCK_TRY(parse(good));
  return {};
}

TEST(Result, holds_a_value_or_an_error) {
  EXPECT_EQ(parse(true).value(), 7);
  EXPECT_EQ(parse(false).error().code, ErrorCode::bad_format);
  EXPECT_THROW(static_cast<void>(parse(false).value()), std::bad_variant_access);
  EXPECT_THROW(static_cast<void>(parse(true).error()), std::bad_variant_access);
}

TEST(Result, an_error_travels_through_try) {
  EXPECT_EQ(twice(true).value(), "14");
  EXPECT_EQ(twice(false).error().what, "no number");
  EXPECT_TRUE(check(true).ok());
  EXPECT_EQ(check(false).error().code, ErrorCode::bad_format);
}

TEST(Result, carries_what_can_only_be_moved) {
  auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(3); };
  auto take = [&]() -> Result<int> {
    auto owned = PENSTOCK_TRY(make());
    return *owned;
  };
  EXPECT_EQ(take().value(), 3);
}

TEST(Status, is_fine_or_an_error) {
  const Status fine;
  EXPECT_TRUE(fine.ok());
  EXPECT_NO_THROW(fine.value());
  const Status broken = Error{.code = ErrorCode::draining, .what = "x"};
  EXPECT_FALSE(broken);
  EXPECT_THROW(broken.value(), std::bad_variant_access);
}

}  // namespace
}  // namespace penstock
