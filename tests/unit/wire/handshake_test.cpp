// Who is let in: the ZAP domain is enforced where nobody answers for it, and whoever is turned away learns
// why, on both sides.
#include <gtest/gtest.h>

#include <zmq.hpp>

#include "common/wire/socket_options.hpp"
#include "tests/contract/transport/loop_thread.hpp"

namespace penstock::wire {
namespace {

using test::Mailbox;
using Who = MessageLoop::TurnedAway::Who;

std::string secret_of(const CurveKeys& keys) {
  const auto secret = keys.secret_key.reveal();
  return {secret.data(), secret.size()};
}

enum class Domain : std::uint8_t { named, enforced };

/// Does a client get through to a CURVE server in a context in which nobody answers ZeroMQ's question?
bool is_let_in_unasked(Domain domain) {
  zmq::context_t context;
  const CurveKeys server_keys = make_curve_keys(), client_keys = make_curve_keys();
  zmq::socket_t server(context, zmq::socket_type::router), client(context, zmq::socket_type::dealer);
  server.set(zmq::sockopt::linger, 0);
  client.set(zmq::sockopt::linger, 0);
  server.set(zmq::sockopt::curve_server, true);
  server.set(zmq::sockopt::curve_secretkey, secret_of(server_keys));
  if (domain == Domain::enforced)
    EXPECT_TRUE(enforce_zap_domain(server, "test").ok());
  else
    server.set(zmq::sockopt::zap_domain, "test");
  client.set(zmq::sockopt::curve_serverkey, server_keys.public_key);
  client.set(zmq::sockopt::curve_publickey, client_keys.public_key);
  client.set(zmq::sockopt::curve_secretkey, secret_of(client_keys));
  // Either the greeting arrives or the handshake is seen to fail: no time decides.
  zmq::socket_t events(context, zmq::socket_type::pair);
  EXPECT_EQ(zmq_socket_monitor(server.handle(), "inproc://events",
                               ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                                   ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH),
            0);
  events.connect("inproc://events");
  server.bind("tcp://127.0.0.1:*");
  client.connect(server.get(zmq::sockopt::last_endpoint));
  zmq::message_t event;
  EXPECT_TRUE(events.recv(event));
  return *event.data<std::uint16_t>() == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
}

TEST(ZapDomain, where_nobody_answers_for_an_enforced_domain_nobody_is_let_in) {
  EXPECT_FALSE(is_let_in_unasked(Domain::enforced));
  EXPECT_TRUE(is_let_in_unasked(Domain::named)) << "the control: ZeroMQ asks nobody and lets everybody in";
}

using Security = MessageLoop::Security;
using Keys = std::shared_ptr<const CurveKeys>;

Keys new_keys() {
  return std::make_shared<const CurveKeys>(make_curve_keys());
}

/// What a server and a client of these keys tell of each other.
struct Told {
  MessageLoop::TurnedAway server, client;
};
class Meeting {
 public:
  Told told(const std::optional<Security>& of_server, const std::optional<Security>& of_client,
            const std::string& server_key, bool client_is_told = true) {
    test::LoopThread server(MessageLoop::make_context()), client(MessageLoop::make_context());
    Mailbox<MessageLoop::TurnedAway> at_server, at_client;
    const std::string address = server.on_loop([&] {
      if (of_server) server.loop().secure(*of_server);
      server.loop().on_turned_away([&](const auto& one) { at_server.put(one); });
      return server.loop()
          .bind_router({"tcp://127.0.0.1:0"}, [](const PeerId&, const Message&) {})
          .value()
          ->endpoints()
          .front();
    });
    // As services do, again and again: of two sides that both give up, one may see the other's end only.
    DealerSocket* dealer = nullptr;
    const auto connect = [&] {
      client.loop().close(dealer);
      dealer = client.loop()
                   .connect_dealer(
                       address, "client", [](const Message&) {}, server_key)
                   .value();
    };
    client.on_loop([&] {
      if (of_client) client.loop().secure(*of_client);
      client.loop().on_turned_away([&](const auto& one) { at_client.put(one); });
      client.loop().every(std::chrono::milliseconds(500), connect);
      connect();
      return 0;
    });
    Told both{at_server.wait_for(1).front(), {}};
    if (client_is_told) both.client = at_client.wait_for(1).front();
    EXPECT_EQ(both.server.who, Who::peer);
    EXPECT_EQ(both.server.address, address);
    EXPECT_EQ(both.server.error.code, ErrorCode::unauthorized);
    return both;
  }
  const Keys server_ = new_keys(), listed_ = new_keys();
  const Security secured_{server_, {listed_->public_key}};
};

TEST(TurnedAway, an_unlisted_key_is_told_to_both_sides) {
  Meeting meeting;
  const Told told = meeting.told(meeting.secured_, Security{new_keys(), {}}, meeting.server_->public_key);
  EXPECT_NE(told.server.error.what.find("not listed"), std::string::npos) << told.server.error.what;
  EXPECT_EQ(told.client.who, Who::us);
  EXPECT_NE(told.client.error.what.find("does not list our CURVE key"), std::string::npos);
  EXPECT_EQ(told.client.address, told.server.address);
}

TEST(TurnedAway, a_peer_without_a_key_is_told_to_both_sides) {
  Meeting meeting;
  const Told told = meeting.told(meeting.secured_, std::nullopt, "");
  EXPECT_NE(told.server.error.what.find("without a CURVE key"), std::string::npos) << told.server.error.what;
  EXPECT_NE(told.client.error.what.find("we have no key"), std::string::npos) << told.client.error.what;
}

TEST(TurnedAway, a_key_at_a_plain_socket_is_told_to_both_sides) {
  Meeting meeting;
  const Told told = meeting.told(std::nullopt, Security{new_keys(), {}}, meeting.server_->public_key);
  EXPECT_NE(told.server.error.what.find("which is plain"), std::string::npos) << told.server.error.what;
  EXPECT_NE(told.client.error.what.find("does not speak CURVE"), std::string::npos);
}

TEST(TurnedAway, another_servers_key_is_told_to_the_server) {
  Meeting meeting;
  const Told told =
      meeting.told(meeting.secured_, Security{meeting.listed_, {}}, new_keys()->public_key, false);
  EXPECT_NE(told.server.error.what.find("another CURVE key"), std::string::npos) << told.server.error.what;
}

// Fault: a socket made where one had just been closed found its watch's address still in use.
TEST(TurnedAway, sockets_that_come_and_go_are_watched_each_for_itself) {
  MessageLoop loop(MessageLoop::make_context());
  for (int i = 0; i < 200; ++i) {
    const auto router = loop.bind_router({"tcp://127.0.0.1:0"}, [](const PeerId&, const Message&) {});
    ASSERT_TRUE(router.ok()) << to_string(router.error());
    loop.close(*router);
    const auto dealer = loop.connect_dealer("tcp://127.0.0.1:1", "client", [](const Message&) {});
    ASSERT_TRUE(dealer.ok()) << to_string(dealer.error());
    loop.close(*dealer);
  }
}

}  // namespace
}  // namespace penstock::wire
