#include "common/runtime/http_text.hpp"

#include <gmock/gmock.h>

namespace penstock::runtime {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Target, is_decoded_and_split) {
  const auto target = parse_target("/v1/jobs/a%20b?wait=30s&x=%26+y&flag&=v").value();
  EXPECT_EQ(target.path, "/v1/jobs/a b");
  ASSERT_EQ(target.query.size(), 4u);
  EXPECT_EQ(target.query[0], (std::pair<std::string, std::string>("wait", "30s")));
  EXPECT_EQ(target.query[1].second, "& y");
  EXPECT_EQ(target.query[2], (std::pair<std::string, std::string>("flag", "")));
  EXPECT_EQ(parse_target("http://host:1/p?q=1").value().path, "/p");
  EXPECT_EQ(parse_target("http://host").value().path, "/");
  EXPECT_EQ(parse_target("/a+b").value().path, "/a+b");
  EXPECT_EQ(parse_target("*").value().path, "*");
}

TEST(Target, bad_escapes_and_foreign_forms_are_refused) {
  for (const char* bad : {"", "relative", "/%", "/%4", "/%zz", "/%00", "/ok?x=%g1", "host:443"})
    EXPECT_FALSE(parse_target(bad).has_value()) << bad;
}

TEST(ResponseHead, tells_length_type_and_whether_the_connection_stays) {
  HttpResponse response;
  response.status = 202;
  response.body = "12345";
  response.headers = {{"Location", "/v1/jobs/1"}};
  const std::string head = response_head(response, AfterResponse::keep_alive);
  EXPECT_THAT(head, testing::StartsWith("HTTP/1.1 202 Accepted\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(head, HasSubstr("Location: /v1/jobs/1\r\n"));
  EXPECT_THAT(head, testing::EndsWith("Connection: keep-alive\r\n\r\n"));
  EXPECT_THAT(response_head(response, AfterResponse::close), HasSubstr("Connection: close\r\n"));
}

TEST(ResponseHead, a_header_cannot_smuggle_another) {
  HttpResponse response;
  response.headers = {{"Location", "/x\r\nSet-Cookie: a=b"}};
  EXPECT_THAT(response_head(response, AfterResponse::close), Not(HasSubstr("\nSet-Cookie")));
}

TEST(ResponseHead, no_content_has_no_length) {
  HttpResponse response;
  response.status = 204;
  EXPECT_THAT(response_head(response, AfterResponse::close), Not(HasSubstr("Content-Length")));
}

TEST(Event, each_line_of_data_is_its_own) {
  EXPECT_EQ(event_text("job", "{}"), "event: job\ndata: {}\n\n");
  EXPECT_EQ(event_text("", "a\nb\r\nc\rd"), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  EXPECT_EQ(event_text("a\nb", ""), "event: a b\ndata: \n\n");
}

TEST(ErrorResponse, is_an_object_of_code_message_and_hint) {
  const auto response = error_response(413, ErrorCode::body_too_large, "too \"large\"", "send less");
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.body,
            "{\"code\":\"body_too_large\",\"message\":\"too \\\"large\\\"\",\"hint\":\"send less\"}\n");
}

TEST(Request, finds_headers_and_query_values) {
  HttpRequest request;
  request.headers = {{"x-api-key", "k"}};
  request.query = {{"wait", "30s"}};
  EXPECT_EQ(request.header("x-api-key"), "k");
  EXPECT_EQ(request.header("x"), "");
  EXPECT_EQ(request.query_value("wait"), "30s");
  EXPECT_EQ(request.query_value("none"), "");
}

}  // namespace
}  // namespace penstock::runtime
