// The server as a well-behaved client sees it, over real sockets.
#include "common/runtime/http_server.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <condition_variable>
#include <fstream>
#include <future>
#include <mutex>
#include <thread>

#include "tests/unit/runtime/raw_client.hpp"

namespace penstock::runtime {
namespace {

using test::get;
using test::get_text;
using test::RawClient;
using testing::HasSubstr;
using testing::Not;

/// Answers with what it was asked; "/wait" keeps the responder until release().
class EchoServer {
 public:
  explicit EchoServer(HttpServerOptions options = {}) {
    server_ = HttpServer::start(options, [this](HttpRequest request, std::shared_ptr<Responder> responder) {
                handle(std::move(request), std::move(responder));
              }).value();
  }
  std::uint16_t port() const { return server_->port(); }
  HttpServer& server() { return *server_; }
  std::shared_ptr<Responder> wait_for_pending(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60), [&] { return pending_.size() >= count; }));
    return pending_.empty() ? nullptr : pending_.back();
  }
  std::vector<std::shared_ptr<Responder>> take_pending() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(pending_, {});
  }

 private:
  void handle(HttpRequest request, std::shared_ptr<Responder> responder) {
    if (request.path == "/throw") throw std::runtime_error("secret detail");
    if (request.path == "/drop") return;
    if (request.path == "/wait") {
      const std::scoped_lock lock(mutex_);
      pending_.push_back(std::move(responder));
      changed_.notify_all();
      return;
    }
    HttpResponse response;
    response.content_type = "text/plain";
    response.body = request.method + " " + request.path + " " + std::to_string(request.body.size());
    if (request.path == "/echo") response.body = request.body;
    if (request.path == "/large") response.body.assign(std::size_t{8} << 20, 'x');
    responder->send(std::move(response));
    responder->send({});  // spent: nothing happens
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Responder>> pending_;
  std::unique_ptr<HttpServer> server_;  // last: its threads use the others
};

TEST(HttpServer, answers_and_keeps_the_connection) {
  EchoServer server;
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    client.send(get_text("/a/" + std::to_string(i)));
    const auto response = client.read_response();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "GET /a/" + std::to_string(i) + " 0");
    EXPECT_THAT(response.head, HasSubstr("keep-alive"));
  }
}

TEST(HttpServer, answers_pipelined_requests_in_order) {
  EchoServer server;
  RawClient client(server.port());
  std::string all;
  for (int i = 0; i < 50; ++i) all += get_text("/" + std::to_string(i));
  client.send(all);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.read_response().body, "GET /" + std::to_string(i) + " 0");
}

TEST(HttpServer, a_pipelined_request_waits_for_a_long_poll_before_it) {
  EchoServer server;
  RawClient client(server.port());
  client.send(get_text("/wait") + get_text("/after"));
  const auto responder = server.wait_for_pending(1);
  EXPECT_TRUE(responder->connected());
  HttpResponse first;
  first.body = "first";
  responder->send(std::move(first));
  EXPECT_FALSE(responder->connected());
  EXPECT_EQ(client.read_response().body, "first");
  EXPECT_EQ(client.read_response().body, "GET /after 0");
}

TEST(HttpServer, takes_bodies_with_a_length_or_in_chunks) {
  EchoServer server;
  RawClient client(server.port());
  client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(client.read_response().body, "hello");
  client.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n");
  client.send("3;ext=1\r\nefg\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_EQ(client.read_response().body, "abcdefg");
  const std::string body(std::size_t{3} << 20, 'b');
  client.send("PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
              body);
  EXPECT_EQ(client.read_response().body, body);
}

TEST(HttpServer, says_continue_to_who_asks) {
  EchoServer server;
  RawClient client(server.port());
  client.send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_EQ(client.read_response().body, "abc");
}

TEST(HttpServer, answers_head_without_a_body) {
  EchoServer server;
  RawClient client(server.port());
  client.send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n" + get_text("/y"));
  EXPECT_THAT(client.read_head_only().head, HasSubstr("Content-Length: 9\r\n"));
  EXPECT_EQ(client.read_response().body, "GET /y 0");
}

TEST(HttpServer, closes_for_http_1_0_and_connection_close) {
  EchoServer server;
  for (const char* request :
       {"GET /x HTTP/1.0\r\n\r\n", "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"}) {
    RawClient client(server.port());
    client.send(request);
    const std::string all = client.read_to_end();
    EXPECT_THAT(all, HasSubstr("Connection: close"));
    EXPECT_THAT(all, testing::EndsWith("GET /x 0"));
  }
}

TEST(HttpServer, sends_a_large_body_whole) {
  EchoServer server;
  EXPECT_EQ(get(server.port(), "/large").body.size(), std::size_t{8} << 20);
}

TEST(HttpServer, a_handler_that_throws_or_forgets_is_an_internal_error) {
  EchoServer server;
  RawClient client(server.port());
  client.send(get_text("/throw"));
  const auto thrown = client.read_response();
  EXPECT_EQ(thrown.status, 500);
  EXPECT_THAT(thrown.body, HasSubstr("\"internal\""));
  EXPECT_THAT(thrown.body, Not(HasSubstr("secret")));
  client.send(get_text("/drop"));
  EXPECT_EQ(client.read_response().status, 500);
  client.send(get_text("/x"));
  EXPECT_EQ(client.read_response().status, 200);
}

TEST(HttpServer, two_hundred_long_polls_do_not_hold_up_a_health_check) {
  EchoServer server;
  std::vector<RawClient> pollers;
  for (int i = 0; i < 200; ++i) {
    pollers.emplace_back(server.port());
    pollers.back().send(get_text("/wait"));
  }
  server.wait_for_pending(200);
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(get(server.port(), "/healthz").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  }
  for (const auto& responder : server.take_pending()) responder->send({});
  for (auto& poller : pollers) EXPECT_EQ(poller.read_response().status, 200);
}

TEST(HttpServer, a_responder_may_answer_from_any_thread) {
  HttpServerOptions options;
  options.threads = 3;
  EchoServer server(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 32; ++i) {
    clients.emplace_back(server.port());
    clients.back().send(get_text("/wait"));
  }
  server.wait_for_pending(32);
  std::vector<std::jthread> threads;
  for (auto& responder : server.take_pending()) threads.emplace_back([responder] { responder->send({}); });
  for (auto& client : clients) EXPECT_EQ(client.read_response().status, 200);
}

TEST(HttpServer, a_taken_port_is_a_conflict_and_words_are_no_address) {
  EchoServer server;
  HttpServerOptions options;
  options.port = server.port();
  EXPECT_EQ(HttpServer::start(options, {}).error().code, ErrorCode::conflict);
  options.address = "not an address";
  EXPECT_EQ(HttpServer::start(options, {}).error().code, ErrorCode::bad_request);
  options.address = "203.0.113.7";  // nobody's here
  EXPECT_EQ(HttpServer::start(options, {}).error().code, ErrorCode::bad_request);
}

TEST(HttpServer, stopping_lets_an_answer_in_flight_finish) {
  auto server = std::make_unique<EchoServer>();
  RawClient idle(server->port()), busy(server->port());
  busy.send(get_text("/wait"));
  const auto responder = server->wait_for_pending(1);
  auto stopped = std::async(std::launch::async, [&] { server->server().stop(); });
  EXPECT_EQ(idle.read_to_end(), "") << "an idle connection is closed at once";
  HttpResponse late;
  late.body = "late but whole";
  responder->send(std::move(late));
  const auto response = busy.read_response();
  EXPECT_EQ(response.body, "late but whole");
  EXPECT_THAT(response.head, HasSubstr("Connection: close"));
  EXPECT_EQ(busy.read_to_end(), "");
  stopped.get();
}

TEST(HttpServer, stopping_is_bounded_and_a_responder_may_outlive_the_server) {
  HttpServerOptions options;
  options.stop_grace = std::chrono::milliseconds(20);
  auto server = std::make_unique<EchoServer>(options);
  RawClient client(server->port());
  client.send(get_text("/wait"));
  auto responder = server->wait_for_pending(1);
  static_cast<void>(server->take_pending());
  server.reset();
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_FALSE(responder->connected());
  responder->send({});
  responder.reset();
}

TEST(HttpServer, its_descriptors_are_not_inherited) {
  EchoServer server;
  RawClient client(server.port());
  client.send(get_text("/x"));
  client.read_response();
  // Every socket of this process (the client's was opened with the flag) has close-on-exec.
  for (int fd = 3; fd < 256; ++fd) {
    std::ifstream info("/proc/self/fdinfo/" + std::to_string(fd));
    std::string key, value;
    while (info >> key && key != "flags:") info >> value;
    if (!(info >> value)) continue;
    char target[64] = {};
    if (::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target, sizeof target - 1) <= 0) continue;
    if (!std::string_view(target).starts_with("socket:")) continue;
    EXPECT_NE(std::stoul(value, nullptr, 8) & O_CLOEXEC, 0u) << "descriptor " << fd;
  }
}

}  // namespace
}  // namespace penstock::runtime
