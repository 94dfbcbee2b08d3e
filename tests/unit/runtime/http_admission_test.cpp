// Who may send a body is asked before any of it is read.
#include <gmock/gmock.h>

#include <atomic>

#include "common/runtime/http_server.hpp"
#include "common/runtime/http_text.hpp"
#include "tests/unit/runtime/raw_client.hpp"

namespace penstock::runtime {
namespace {

using test::get_text;
using test::RawClient;
using testing::HasSubstr;
using testing::Not;

class HttpAdmission : public testing::Test {
 protected:
  static std::string post(std::string_view path, std::string_view key, std::size_t size,
                          std::string_view more = "") {
    return "POST " + std::string(path) + " HTTP/1.1\r\nHost: x\r\nX-Key: " + std::string(key) +
           "\r\nContent-Length: " + std::to_string(size) + "\r\n" + std::string(more) + "\r\n";
  }

  std::atomic<int> asked_{0}, handled_{0};
  HttpServerOptions options_ = [] {
    HttpServerOptions options;
    options.max_body_bytes = 100'000;
    options.max_total_body_bytes = 100'000;
    return options;
  }();
  std::unique_ptr<HttpServer> server_ =
      HttpServer::start(
          options_,
          [this](const HttpRequest& request, const std::shared_ptr<Responder>& responder) {
            ++handled_;
            responder->send({.body = std::to_string(request.body.size())});
          },
          [this](const HttpRequest& head) -> std::optional<HttpResponse> {
            ++asked_;
            if (head.path == "/throw") throw std::runtime_error("secret detail");
            if (head.header("x-key") == "right") return std::nullopt;
            return error_response(401, ErrorCode::unauthorized, head.method + " " + head.path);
          })
          .value();
};

TEST_F(HttpAdmission, a_body_is_refused_before_it_is_sent) {
  RawClient client(server_->port());
  client.send(post("/jobs", "wrong", 90'000));  // and not a byte of the body
  const auto response = client.read_response();
  EXPECT_EQ(response.status, 401);
  EXPECT_THAT(response.body, HasSubstr("POST /jobs"));
  EXPECT_THAT(response.head, HasSubstr("Connection: close"));
  EXPECT_EQ(handled_, 0);
}

TEST_F(HttpAdmission, who_waits_for_a_continue_gets_the_refusal_instead) {
  RawClient client(server_->port());
  client.send(post("/jobs", "wrong", 90'000, "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.read_response().status, 401);
  RawClient allowed(server_->port());
  allowed.send(post("/jobs", "right", 3, "Expect: 100-continue\r\n"));
  EXPECT_EQ(allowed.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  allowed.send("abc");
  EXPECT_EQ(allowed.read_response().body, "3");
}

TEST_F(HttpAdmission, strangers_hold_none_of_the_room_for_bodies) {
  std::vector<RawClient> strangers;
  for (int i = 0; i < 4; ++i) {
    strangers.emplace_back(server_->port());
    strangers.back().send(post("/jobs", "wrong", 100'000) + std::string(99'999, 'x'));
    EXPECT_EQ(strangers.back().read_response().status, 401);
  }
  RawClient allowed(server_->port());
  allowed.send(post("/jobs", "right", 100'000) + std::string(100'000, 'x'));
  EXPECT_EQ(allowed.read_response().body, "100000");
}

TEST_F(HttpAdmission, what_has_no_body_is_the_handlers_own_business) {
  RawClient client(server_->port());
  client.send(get_text("/anything"));
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpAdmission, chunked_bodies_malformed_targets_and_a_throwing_hook_are_refused_on_the_head) {
  RawClient chunked(server_->port());
  chunked.send("POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(chunked.read_response().status, 401);
  RawClient malformed(server_->port());
  malformed.send(post("/%zz", "right", 5));
  EXPECT_EQ(malformed.read_response().status, 400);
  RawClient throwing(server_->port());
  throwing.send(post("/throw", "right", 5));
  const auto failed = throwing.read_response();
  EXPECT_EQ(failed.status, 500);
  EXPECT_THAT(failed.body, Not(HasSubstr("secret")));
  EXPECT_EQ(handled_, 0);
}

}  // namespace
}  // namespace penstock::runtime
