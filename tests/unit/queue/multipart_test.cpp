#include "services/queue/multipart.hpp"

#include <gtest/gtest.h>

#include <string>

namespace penstock::queue::test {
namespace {

constexpr std::string_view type = "multipart/form-data; boundary=XX";

std::string part(const std::string& disposition, const std::string& content) {
  return "--XX\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n";
}
ErrorCode code_of(std::string_view content_type, std::string_view body, const MultipartLimits& limits = {}) {
  const auto parts = parse_multipart(content_type, body, limits);
  EXPECT_FALSE(parts.ok()) << "accepted: " << body;
  return parts.ok() ? ErrorCode::internal : parts.error().code;
}

TEST(Multipart, parts_come_in_order_with_their_names) {
  const std::string body = part("name=\"job\"", "{}") +
                           part("name=\"input\"; filename=\"a;b.json\"", "{\"a\":1}") +
                           part("name=input", "") + "--XX--\r\n";
  const auto parts = parse_multipart(type, body, {});
  ASSERT_TRUE(parts.ok()) << to_string(parts.error());
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_EQ((*parts)[0].name, "job");
  EXPECT_EQ((*parts)[0].content, "{}");
  EXPECT_EQ((*parts)[1].filename, "a;b.json");
  EXPECT_EQ((*parts)[1].content, "{\"a\":1}");
  EXPECT_EQ((*parts)[2].name, "input");
  EXPECT_EQ((*parts)[2].content, "");
}

TEST(Multipart, content_is_binary_and_may_resemble_the_boundary) {
  std::string content("\0\r\n--X\r\n--\r\n-XX--XX", 20);
  for (int byte = 0; byte < 256; ++byte) content += static_cast<char>(byte);
  const auto parts = parse_multipart(type, part("name=w", content) + "--XX--", {});
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ((*parts)[0].content, content);
}

TEST(Multipart, preamble_epilogue_padding_and_quoted_boundaries_are_understood) {
  const auto parts = parse_multipart("Multipart/Form-Data ; charset=x; BOUNDARY=\"XX\"",
                                     "preamble\r\n--XX  \r\ncontent-disposition: form-data; name=a\r\n"
                                     "X-Other: 1\r\n\r\n1\r\n--XX--\r\nepilogue",
                                     {});
  ASSERT_TRUE(parts.ok()) << to_string(parts.error());
  EXPECT_EQ((*parts)[0].content, "1");
}

TEST(Multipart, what_is_no_multipart_is_refused) {
  const std::string good = part("name=a", "1") + "--XX--";
  for (const std::string_view bad_type :
       {"", "application/json", "multipart/form-data",
        "multipart/form-data; boundary=", "multipart/mixed; boundary=XX",
        "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"a\\b\""})
    EXPECT_EQ(code_of(bad_type, good), ErrorCode::bad_request) << bad_type;
  EXPECT_EQ(code_of("multipart/form-data; boundary=" + std::string(71, 'x'), good), ErrorCode::bad_request);
}

TEST(Multipart, every_cut_of_a_good_body_is_refused) {
  const std::string good = part("name=\"job\"", "{}") + part("name=\"input\"", "{\"a\":\"1\"}") + "--XX--";
  ASSERT_TRUE(parse_multipart(type, good, {}).ok());
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_EQ(code_of(type, std::string_view(good).substr(0, size)), ErrorCode::bad_request) << size;
}

TEST(Multipart, parts_without_or_with_two_names_are_refused) {
  EXPECT_EQ(code_of(type, "--XX\r\n\r\n1\r\n--XX--"), ErrorCode::bad_request);
  EXPECT_EQ(code_of(type, "--XX\r\nContent-Type: text/plain\r\n\r\n1\r\n--XX--"), ErrorCode::bad_request);
  EXPECT_EQ(code_of(type, part("filename=\"a\"", "1") + "--XX--"), ErrorCode::bad_request);
  EXPECT_EQ(code_of(type, part("name=\"\"", "1") + "--XX--"), ErrorCode::bad_request);
  EXPECT_EQ(code_of(type, "--XX\r\nno colon\r\n\r\n1\r\n--XX--"), ErrorCode::bad_request);
  EXPECT_EQ(code_of(type,
                    "--XX\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b"
                    "\r\n\r\n1\r\n--XX--"),
            ErrorCode::bad_request);
}

TEST(Multipart, limits_hold) {
  std::string body;
  for (int i = 0; i < 4; ++i) body += part("name=a", "1");
  body += "--XX--";
  EXPECT_TRUE(parse_multipart(type, body, {.max_parts = 4}).ok());
  EXPECT_EQ(code_of(type, body, {.max_parts = 3}), ErrorCode::body_too_large);
  const std::string long_header =
      "--XX\r\nContent-Disposition: form-data; name=a\r\nX: " + std::string(5000, 'y');
  EXPECT_EQ(code_of(type, long_header + "\r\n\r\n1\r\n--XX--"), ErrorCode::body_too_large);
}

TEST(Multipart, an_empty_form_has_no_part) {
  EXPECT_EQ(code_of(type, "--XX--\r\n"), ErrorCode::bad_request);
}

}  // namespace
}  // namespace penstock::queue::test
