#include "common/base/error.hpp"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Error, is_one_line_of_code_place_sentence_and_hint) {
  const Error error{
      .code = ErrorCode::bad_magic, .what = "this is no zkey", .hint = "look", .file = "a.zkey", .offset = 4};
  EXPECT_EQ(to_string(error), "error[bad_magic] a.zkey@4: this is no zkey; look");
  EXPECT_EQ(to_string(Error{.code = ErrorCode::internal, .what = "x"}), "error[internal]: x");
}

TEST(Error, stays_on_one_line_whatever_the_texts_hold) {
  const Error error{.code = ErrorCode::bad_format, .what = "a\nb\rc\x1b[31m", .file = "x\ty"};
  EXPECT_EQ(to_string(error), "error[bad_format] x y: a b c [31m");
}

TEST(Error, is_attributed_to_a_file_once) {
  const Error error = Error{.code = ErrorCode::bad_magic, .what = "x"}.in("first").in("second");
  EXPECT_EQ(error.file, "first");
}

TEST(Error, ends_the_process_as_the_command_line_says) {
  EXPECT_EQ(exit_status(ErrorCode::bad_request), 2);
  EXPECT_EQ(exit_status(ErrorCode::internal), 3);
  EXPECT_EQ(exit_status(ErrorCode::witness_unsatisfied), 1);
  EXPECT_EQ(exit_status(ErrorCode::file_truncated), 1);
}

}  // namespace
}  // namespace penstock
