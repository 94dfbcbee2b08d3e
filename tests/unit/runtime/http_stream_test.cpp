// Server-sent events.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "common/runtime/http_server.hpp"
#include "common/runtime/http_text.hpp"
#include "tests/unit/runtime/raw_client.hpp"

namespace penstock::runtime {
namespace {

using test::get_text;
using test::RawClient;
using testing::HasSubstr;

class EventStream : public testing::Test {
 protected:
  std::shared_ptr<Responder> next() { return asked_.get_future().get(); }

  std::promise<std::shared_ptr<Responder>> asked_;
  std::unique_ptr<HttpServer> server_ =
      HttpServer::start({}, [this](const HttpRequest&, std::shared_ptr<Responder> responder) {
        asked_.set_value(std::move(responder));
      }).value();
  RawClient client_{server_->port()};
};

TEST_F(EventStream, delivers_events_in_order_and_ends) {
  client_.send(get_text("/events"));
  const auto responder = next();
  responder->begin_events();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(responder->write_event("partition", std::to_string(i)));
  responder->end_events();
  EXPECT_FALSE(responder->write_event("late", ""));
  const std::string all = client_.read_to_end();
  EXPECT_THAT(all, testing::StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(all, HasSubstr("Content-Type: text/event-stream\r\n"));
  std::string expected;
  for (int i = 0; i < 100; ++i) expected += "event: partition\ndata: " + std::to_string(i) + "\n\n";
  EXPECT_THAT(all, testing::EndsWith("\r\n\r\n" + expected));
}

TEST_F(EventStream, delivers_each_event_when_it_happens) {
  client_.send(get_text("/events"));
  const auto responder = next();
  responder->begin_events();
  client_.read_until("\r\n\r\n");
  for (int i = 0; i < 3; ++i) {
    responder->write_event("job", std::to_string(i));
    EXPECT_EQ(client_.read_until("\n\n"), "event: job\ndata: " + std::to_string(i) + "\n\n");
  }
}

TEST_F(EventStream, tells_the_writer_that_the_client_is_gone) {
  client_.send(get_text("/events"));
  const auto responder = next();
  responder->begin_events();
  client_.read_until("\r\n\r\n");
  client_.abort();
  while (responder->write_event("job", "{}")) std::this_thread::yield();
  EXPECT_FALSE(responder->connected());
}

// Fault: a job whose first telling is larger than what a slow client may leave waiting could not be followed.
TEST_F(EventStream, what_a_stream_begins_with_is_sent_whole_however_long_it_is) {
  client_.send(get_text("/events"));
  const auto responder = next();
  std::string first;
  while (first.size() < std::size_t{5} << 20) first += event_text("partition", std::string(1000, 'x'));
  responder->begin_events(first);
  EXPECT_TRUE(responder->write_event("partition", "next")) << "it is not counted as left waiting";
  responder->end_events();
  const std::string all = client_.read_to_end();
  EXPECT_EQ(all.substr(all.find("\r\n\r\n") + 4), first + event_text("partition", "next"));
}

TEST_F(EventStream, ends_when_its_responder_is_dropped) {
  client_.send(get_text("/events"));
  auto responder = next();
  asked_ = {};  // the promise's state holds a reference, too
  responder->begin_events();
  responder->write_event("last", "x");
  responder.reset();
  EXPECT_THAT(client_.read_to_end(), testing::EndsWith("event: last\ndata: x\n\n"));
}

TEST_F(EventStream, ends_when_the_server_stops) {
  client_.send(get_text("/events"));
  const auto responder = next();
  responder->begin_events();
  client_.read_until("\r\n\r\n");
  server_->stop();
  EXPECT_EQ(client_.read_to_end(), "");
  EXPECT_FALSE(responder->write_event("late", ""));
}

TEST_F(EventStream, a_head_request_gets_the_head_only) {
  client_.send("HEAD /events HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto responder = next();
  responder->begin_events(event_text("job", "{}"));
  responder->write_event("job", "{}");
  EXPECT_THAT(client_.read_to_end(), testing::EndsWith("\r\n\r\n"));
}

}  // namespace
}  // namespace penstock::runtime
