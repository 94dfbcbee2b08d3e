// The contract of every transport: delivery, order, reconnection, bounded queues, refusals. Typed over
// inproc, ipc, tcp.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "common/wire/codec.hpp"
#include "common/wire/message_loop_context.hpp"
#include "tests/contract/transport/loop_thread.hpp"

namespace penstock::wire {
namespace {

using test::LoopThread;
using test::Mailbox;

struct Inproc {
  static constexpr bool one_context = true, limits_frames = false;
  static std::string address() { return "inproc://router"; }
};
struct Ipc {
  static constexpr bool one_context = false, limits_frames = true;
  static std::string address() {
    const std::string file = "penstock-transport-" + std::to_string(getpid()) + ".sock";
    return "ipc://" + (std::filesystem::temp_directory_path() / file).string();
  }
};
struct Tcp {
  static constexpr bool one_context = false, limits_frames = true;
  static std::string address() { return "tcp://127.0.0.1:0"; }
};

StageAbandon numbered(std::uint32_t number) {
  return StageAbandon{{JobId("job"), number, 0, {}}, number};
}
std::uint32_t number_of(const Message& message) {
  return std::get<StageAbandon>(message).partition.index;
}

SynthesisTask task_of(std::size_t input_bytes) {
  SynthesisTask task;
  task.partition.job = JobId("job");
  task.circuit.id = CircuitId(std::string(64, '0'));
  task.circuit.name = "c";
  task.gpu = {WorkerName("g"), Incarnation("i"), {}, "", ""};
  task.input.resize(input_bytes);
  return task;
}

template <class T>
class TransportContract : public testing::Test {
 protected:
  using Received = std::pair<PeerId, std::uint32_t>;

  /// The process of the router; destroyed and made again, it is a restart.
  struct Server {
    std::shared_ptr<MessageLoop::Context> context;
    Mailbox<Received> mailbox;
    RouterSocket* router = nullptr;
    LoopThread thread;

    Server(std::shared_ptr<MessageLoop::Context> shared, const std::string& address)
        : context(shared), thread(shared) {
      auto bound = thread.on_loop([&] {
        return thread.loop().bind_router({address}, [this](const PeerId& peer, Message message) {
          const std::uint32_t number = std::holds_alternative<StageAbandon>(message) ? number_of(message) : 0;
          mailbox.put({peer, number});
        });
      });
      EXPECT_TRUE(bound.ok()) << to_string(bound.error());
      router = bound.ok() ? bound.value() : nullptr;
    }
    Status send(const PeerId& peer, const Message& message) {
      return thread.on_loop([&] { return router->send(peer, message); });
    }
  };

  std::unique_ptr<Server> start_server(const std::string& address) {
    return std::make_unique<Server>(T::one_context ? shared_ : MessageLoop::make_context(), address);
  }
  std::shared_ptr<MessageLoop::Context> client_context() {
    return T::one_context ? shared_ : MessageLoop::make_context();
  }

  DealerSocket* connect(LoopThread& client, const std::string& id) {
    auto dealer = client.on_loop([&] {
      return client.loop().connect_dealer(
          address(), id, [this](Message message) { client_mailbox_.put(number_of(message)); });
    });
    EXPECT_TRUE(dealer.ok()) << to_string(dealer.error());
    return dealer.ok() ? dealer.value() : nullptr;
  }
  static void send_numbers(LoopThread& client, DealerSocket* dealer, std::uint32_t count) {
    client.send_all([&](const Message& message) { return dealer->send(message); }, numbered, count);
  }
  std::string address() const { return server_->router->endpoints().front(); }

  std::shared_ptr<MessageLoop::Context> shared_ = MessageLoop::make_context();
  std::unique_ptr<Server> server_ = start_server(T::address());
  Mailbox<std::uint32_t> client_mailbox_;
};

using Transports = testing::Types<Inproc, Ipc, Tcp>;
TYPED_TEST_SUITE(TransportContract, Transports);

TYPED_TEST(TransportContract, delivers_in_both_directions) {
  LoopThread client(this->client_context());
  DealerSocket* dealer = this->connect(client, "worker.1");
  this->send_numbers(client, dealer, 1);
  const auto received = this->server_->mailbox.wait_for(1);
  EXPECT_EQ(received.front().first, "worker.1");
  ASSERT_TRUE(this->server_->send("worker.1", numbered(77)).ok());
  EXPECT_EQ(this->client_mailbox_.wait_for(1).front(), 77u);
}

TYPED_TEST(TransportContract, keeps_the_order_of_one_sender) {
  LoopThread client(this->client_context());
  DealerSocket* dealer = this->connect(client, "worker.1");
  this->send_numbers(client, dealer, 3000);
  const auto received = this->server_->mailbox.wait_for(3000);
  for (std::uint32_t i = 0; i < 3000; ++i) ASSERT_EQ(received[i].second, i);
}

TYPED_TEST(TransportContract, connects_to_a_router_that_starts_later) {
  const std::string address = this->address();
  this->server_.reset();
  LoopThread client(this->client_context());
  auto dealer =
      client.on_loop([&] { return client.loop().connect_dealer(address, "early", [](const Message&) {}); });
  ASSERT_TRUE(dealer.ok());
  EXPECT_EQ(client.on_loop([&] { return dealer.value()->send(numbered(0)); }).error().code,
            ErrorCode::overloaded);
  this->server_ = this->start_server(address);
  this->send_numbers(client, dealer.value(), 3);
  EXPECT_EQ(this->server_->mailbox.wait_for(3).back().second, 2u);
}

TYPED_TEST(TransportContract, reconnects_when_the_router_restarts) {
  LoopThread client(this->client_context());
  DealerSocket* dealer = this->connect(client, "worker.1");
  this->send_numbers(client, dealer, 1);
  this->server_->mailbox.wait_for(1);
  const std::string address = this->address();
  for (int restart = 0; restart < 3; ++restart) {
    this->server_.reset();
    this->server_ = this->start_server(address);
    // Sent into a dying connection a message may be lost: at least once means sending it again until it is
    // answered.
    std::promise<void> arrived;
    MessageLoop::TimerId timer = 0;
    client.on_loop([&] {
      timer = client.loop().every(std::chrono::milliseconds(5),
                                  [&] { static_cast<void>(dealer->send(numbered(9))); });
      return 0;
    });
    EXPECT_EQ(this->server_->mailbox.wait_for(1).front().first, "worker.1");
    client.on_loop([&] {
      client.loop().cancel(timer);
      return 0;
    });
    EXPECT_TRUE(this->server_->send("worker.1", numbered(1)).ok());
    this->client_mailbox_.wait_for(static_cast<std::size_t>(restart) + 1);
  }
}

TYPED_TEST(TransportContract, refuses_a_peer_that_was_never_there) {
  const Status sent = this->server_->send("nobody", numbered(1));
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().code, ErrorCode::overloaded);
  EXPECT_THAT(sent.error().what, testing::HasSubstr("nobody"));
}

TYPED_TEST(TransportContract, refuses_a_peer_that_is_gone) {
  {
    LoopThread client(this->client_context());
    DealerSocket* dealer = this->connect(client, "gone");
    this->send_numbers(client, dealer, 1);
    this->server_->mailbox.wait_for(1);
  }
  // The router learns of it from its connection: until then a send may still be accepted.
  std::promise<ErrorCode> refused;
  auto code = refused.get_future();
  MessageLoop::TimerId timer = 0;
  this->server_->thread.on_loop([&] {
    timer = this->server_->thread.loop().every(std::chrono::milliseconds(1), [&] {
      const Status sent = this->server_->router->send("gone", numbered(1));
      if (sent.ok()) return;
      this->server_->thread.loop().cancel(timer);
      refused.set_value(sent.error().code);
    });
    return 0;
  });
  ASSERT_EQ(code.wait_for(test::patience), std::future_status::ready);
  EXPECT_EQ(code.get(), ErrorCode::overloaded);
}

// The client's loop never runs: its queue and the router's fill up, and then send() says so at once.
TYPED_TEST(TransportContract, a_full_queue_is_overloaded_and_does_not_block) {
  MessageLoop idle(this->client_context());
  auto dealer = idle.connect_dealer(this->address(), "idle", [](const Message&) {});
  ASSERT_TRUE(dealer.ok());
  idle.post([&] { idle.stop(); });
  idle.run();  // an inproc dealer connects on its loop
  const SynthesisTask task = task_of(std::size_t{64} << 10);
  this->server_->thread.send_all(
      [&](const Message& message) { return this->server_->router->send("idle", message); },
      [&](std::uint32_t) { return task; }, 1);
  int accepted = 0;
  Status last;
  while (accepted < 10000 && (last = this->server_->send("idle", task)).ok()) ++accepted;
  ASSERT_FALSE(last.ok());
  EXPECT_EQ(last.error().code, ErrorCode::overloaded);
  EXPECT_GT(accepted, 10);
}

TYPED_TEST(TransportContract, one_full_peer_does_not_hold_up_another) {
  MessageLoop idle(this->client_context());
  ASSERT_TRUE(idle.connect_dealer(this->address(), "idle", [](const Message&) {}).ok());
  const SynthesisTask task = task_of(std::size_t{64} << 10);
  auto& server = *this->server_;
  server.thread.send_all([&](const Message& message) { return server.router->send("idle", message); },
                         [&](std::uint32_t) { return task; }, 1);
  while (server.send("idle", task).ok()) {
  }
  LoopThread client(this->client_context());
  DealerSocket* dealer = this->connect(client, "lively");
  this->send_numbers(client, dealer, 1);
  server.mailbox.wait_for(1);
  EXPECT_TRUE(server.send("lively", numbered(5)).ok());
  EXPECT_EQ(this->client_mailbox_.wait_for(1).front(), 5u);
}

TYPED_TEST(TransportContract, refuses_to_send_what_is_too_large) {
  LoopThread client(this->client_context());
  DealerSocket* dealer = this->connect(client, "worker.1");
  this->send_numbers(client, dealer, 1);
  const SynthesisTask task = task_of(max_message_bytes);
  const auto sent = client.on_loop([&] { return dealer->send(task); });
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().code, ErrorCode::body_too_large);
  this->server_->mailbox.wait_for(1);
  EXPECT_EQ(this->server_->send("worker.1", task).error().code, ErrorCode::body_too_large);
  EXPECT_TRUE(this->server_->send("worker.1", numbered(1)).ok());
  this->client_mailbox_.wait_for(1);
}

// A foreign program on the other end: garbage, too many frames, a frame above the limit. The router lives on.
TYPED_TEST(TransportContract, drops_and_counts_what_is_not_a_message) {
  const auto context = this->client_context();
  zmq::socket_t foreign(context->zmq(), zmq::socket_type::dealer);
  foreign.set(zmq::sockopt::routing_id, "foreign");
  foreign.set(zmq::sockopt::linger, 0);
  foreign.connect(this->address());
  foreign.send(zmq::str_buffer("garbage!"), zmq::send_flags::none);
  for (int i = 0; i < 9; ++i) foreign.send(zmq::str_buffer("part"), zmq::send_flags::sndmore);
  foreign.send(zmq::str_buffer("end"), zmq::send_flags::none);
  foreign.send(zmq::message_t(), zmq::send_flags::none);
  const auto good = encode(numbered(3));
  foreign.send(zmq::buffer(good), zmq::send_flags::none);
  EXPECT_EQ(this->server_->mailbox.wait_for(1).front().second, 3u);
  EXPECT_EQ(this->server_->thread.loop().dropped(), 3u);
  if (!TypeParam::limits_frames) return;
  foreign.send(zmq::message_t(max_message_bytes + 1), zmq::send_flags::none);
  // That cost the foreign program its connection, not the router its life.
  LoopThread client(this->client_context());
  DealerSocket* dealer = this->connect(client, "worker.1");
  this->send_numbers(client, dealer, 1);
  EXPECT_EQ(this->server_->mailbox.wait_for(2).back().first, "worker.1");
}

TYPED_TEST(TransportContract, a_second_peer_of_the_same_id_takes_over) {
  LoopThread first(this->client_context());
  this->send_numbers(first, this->connect(first, "same"), 1);
  this->server_->mailbox.wait_for(1);
  Mailbox<std::uint32_t> second_mailbox;
  LoopThread second(this->client_context());
  auto dealer = second.on_loop([&] {
    return second.loop().connect_dealer(this->address(), "same",
                                        [&](const Message& m) { second_mailbox.put(number_of(m)); });
  });
  ASSERT_TRUE(dealer.ok());
  this->send_numbers(second, dealer.value(), 1);
  this->server_->mailbox.wait_for(2);
  ASSERT_TRUE(this->server_->send("same", numbered(8)).ok());
  EXPECT_EQ(second_mailbox.wait_for(1).front(), 8u);
  EXPECT_EQ(this->client_mailbox_.size(), 0u);
}

TYPED_TEST(TransportContract, a_bound_address_is_a_conflict) {
  LoopThread other(this->client_context());
  const auto again = other.on_loop(
      [&] { return other.loop().bind_router({this->address()}, [](const PeerId&, const Message&) {}); });
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::conflict);
}

TYPED_TEST(TransportContract, a_handler_may_close_its_own_socket) {
  LoopThread client(this->client_context());
  Mailbox<int> closed;
  DealerSocket* dealer = nullptr;
  client.on_loop([&] {
    dealer = client.loop()
                 .connect_dealer(this->address(), "worker.1",
                                 [&](const Message&) {
                                   client.loop().close(dealer);
                                   closed.put(1);
                                 })
                 .value();
    return 0;
  });
  this->send_numbers(client, dealer, 1);
  this->server_->mailbox.wait_for(1);
  for (std::uint32_t i = 0; i < 5; ++i) static_cast<void>(this->server_->send("worker.1", numbered(i)));
  closed.wait_for(1);
  EXPECT_EQ(client.on_loop([] { return 4; }), 4);
  EXPECT_EQ(closed.size(), 1u);
}

}  // namespace
}  // namespace penstock::wire
