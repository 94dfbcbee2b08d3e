// Chunks, whose bytes travel in a frame of their own, over every transport; and CURVE: who gets through.
#include <gmock/gmock.h>

#include <filesystem>

#include "common/base/checksum.hpp"
#include "loop_thread.hpp"

namespace penstock::wire {
namespace {

using test::LoopThread;
using test::Mailbox;

std::shared_ptr<const SensitiveVector<std::byte>> buffer_of(std::size_t size) {
  auto buffer = std::make_shared<SensitiveVector<std::byte>>(size);
  for (std::size_t i = 0; i < size; ++i) buffer->reveal()[i] = static_cast<std::byte>(i * 31 + i / 251);
  return buffer;
}

StageChunk chunk_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  return {{JobId("job"), 0, 1, FencingToken{7}}, 9, FencingToken{10}, offset, checksum_of(bytes)};
}

struct Arrived {
  PeerId peer;
  StageChunk chunk;
  std::vector<std::byte> bytes;
};

/// A router on one loop, dealers on another, both in the same context.
class Chunks : public ::testing::TestWithParam<const char*> {
 protected:
  std::string bind() {
    const std::string address = GetParam();
    folder_ = testing::TempDir() + "penstock-chunks";
    std::filesystem::create_directories(folder_);
    const auto router = server_.on_loop([&] {
      return server_.loop().bind_router(
          {address == "ipc" ? "ipc://" + folder_ + "/socket" : address},
          [this](const PeerId& peer, const Message&) { messages_.put(peer); },
          [this](const PeerId& peer, const StageChunk& chunk, std::span<const std::byte> bytes) {
            arrived_.put({peer, chunk, {bytes.begin(), bytes.end()}});
          });
    });
    EXPECT_TRUE(router.ok());
    return (*router)->endpoints().front();
  }
  DealerSocket* connect(const std::string& address, const std::string& id) {
    return client_.on_loop([&] { return client_.loop().connect_dealer(address, id, [](const Message&) {}); })
        .value();
  }
  void send(DealerSocket* dealer, const StageChunk& chunk, const ChunkBytes& bytes) {
    client_.send_all([&](std::uint32_t) { return dealer->send_chunk(chunk, bytes); },
                     [](std::uint32_t i) { return i; }, 1);
  }
  std::shared_ptr<MessageLoop::Context> context_ = MessageLoop::make_context(2);
  Mailbox<Arrived> arrived_;
  Mailbox<PeerId> messages_;
  std::string folder_;
  LoopThread server_{context_}, client_{context_};
};
INSTANTIATE_TEST_SUITE_P(Transports, Chunks, ::testing::Values("tcp://127.0.0.1:0", "ipc", "inproc://chunks"),
                         [](const auto& one) { return std::string(one.param).substr(0, 3); });

TEST_P(Chunks, arrive_in_order_with_the_bytes_that_were_sent) {
  auto* dealer = connect(bind(), "worker");
  const auto buffer = buffer_of(3'000'000);
  constexpr std::uint64_t each = 1'000'000;
  for (std::uint64_t offset = 0; offset < buffer->size(); offset += each) {
    const ChunkBytes bytes{buffer, offset, each};
    send(dealer, chunk_at(offset, bytes.view()), bytes);
  }
  const auto all = arrived_.wait_for(3);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].peer, "worker");
    EXPECT_EQ(all[i].chunk.offset, i * each);
    EXPECT_EQ(all[i].bytes.size(), each);
    EXPECT_EQ(checksum_of(all[i].bytes), all[i].chunk.checksum);
  }
  EXPECT_EQ(server_.loop().dropped(), 0u);
}

TEST_P(Chunks, messages_pass_between_them) {
  auto* dealer = connect(bind(), "worker");
  const auto buffer = buffer_of(100);
  send(dealer, chunk_at(0, buffer->reveal()), {buffer, 0, 100});
  client_.send_all([&](std::uint32_t) { return dealer->send(Drain{}); }, [](std::uint32_t i) { return i; },
                   1);
  EXPECT_EQ(messages_.wait_for(1).front(), "worker");
  EXPECT_EQ(arrived_.wait_for(1).front().bytes.size(), 100u);
}

TEST_P(Chunks, one_that_is_too_large_is_dropped_and_the_connection_goes_on) {
  auto* dealer = connect(bind(), "worker");
  const auto buffer = buffer_of(max_chunk_bytes + 8);
  send(dealer, chunk_at(0, {}), {buffer, 0, max_chunk_bytes + 8});
  send(dealer, chunk_at(1, {}), {buffer, 0, 8});
  EXPECT_EQ(arrived_.wait_for(1).front().chunk.offset, 1u);
  EXPECT_EQ(server_.loop().dropped(), 1u);
}

/// Each loop has its own context, as processes have.
class Curve : public ::testing::Test {
 protected:
  static std::shared_ptr<const CurveKeys> new_keys() {
    return std::make_shared<const CurveKeys>(make_curve_keys());
  }

  struct Server {
    explicit Server(std::shared_ptr<const CurveKeys> keys, std::set<std::string> clients,
                    std::shared_ptr<MessageLoop::Context> context = MessageLoop::make_context())
        : loop(std::move(context)) {
      address = loop.on_loop([&] {
        loop.loop().secure({std::move(keys), std::move(clients)});
        return loop.loop()
            .bind_router({"tcp://127.0.0.1:0"},
                         [this](const PeerId& peer, const Message&) { heard.put(peer); })
            .value()
            ->endpoints()
            .front();
      });
    }
    Mailbox<PeerId> heard;
    LoopThread loop;
    std::string address;
  };
  struct Client {
    Client(const std::string& address, const std::string& id, std::shared_ptr<const CurveKeys> keys,
           const std::string& server_key) {
      dealer = loop.on_loop([&] {
        if (keys) loop.loop().secure({std::move(keys), {}});
        return loop.loop().connect_dealer(
            address, id, [](const Message&) {}, server_key);
      });
    }
    void say() {
      loop.send_all([&](std::uint32_t) { return (*dealer)->send(Drain{}); },
                    [](std::uint32_t i) { return i; }, 1);
    }
    [[nodiscard]] bool gets_through() {
      return loop.on_loop([&] { return (*dealer)->send(Drain{}).ok(); });
    }
    LoopThread loop{MessageLoop::make_context()};
    Result<DealerSocket*> dealer = Error{};
  };
  std::shared_ptr<const CurveKeys> server_ = new_keys(), friend_ = new_keys(), stranger_ = new_keys();
};

TEST_F(Curve, a_known_client_gets_through) {
  Server server(server_, {friend_->public_key});
  Client client(server.address, "friend", friend_, server_->public_key);
  client.say();
  EXPECT_EQ(server.heard.wait_for(1).front(), "friend");
}

// The friend's handshakes come after the others': when several of them are through, the others have been
// turned away as often.
TEST_F(Curve, strangers_plain_sockets_and_wrong_server_keys_do_not) {
  Server server(server_, {friend_->public_key});
  Client unknown(server.address, "unknown", stranger_, server_->public_key);
  Client plain(server.address, "plain", nullptr, {});
  Client deceived(server.address, "deceived", friend_, stranger_->public_key);
  for (int i = 0; i < 3; ++i) {
    Client client(server.address, "friend", friend_, server_->public_key);
    client.say();
    server.heard.wait_for(static_cast<std::size_t>(i) + 1);
  }
  for (const auto& peer : server.heard.wait_for(3)) EXPECT_EQ(peer, "friend");
  EXPECT_FALSE(unknown.gets_through());
  EXPECT_FALSE(plain.gets_through());
  EXPECT_FALSE(deceived.gets_through());
}

TEST_F(Curve, the_clients_of_one_socket_are_not_anothers_in_the_same_process) {
  const auto context = MessageLoop::make_context();
  Server first(server_, {friend_->public_key}, context), second(server_, {stranger_->public_key}, context);
  Client here(first.address, "friend", friend_, server_->public_key);
  Client there(second.address, "friend", friend_, server_->public_key);
  Client other(second.address, "stranger", stranger_, server_->public_key);
  here.say();
  other.say();
  first.heard.wait_for(1);
  EXPECT_EQ(second.heard.wait_for(1).front(), "stranger");
  EXPECT_FALSE(there.gets_through());
}

TEST_F(Curve, a_secured_loop_connects_nowhere_without_the_servers_key) {
  Client client("tcp://127.0.0.1:1", "friend", friend_, {});
  ASSERT_FALSE(client.dealer.ok());
  EXPECT_EQ(client.dealer.error().code, ErrorCode::bad_request);
}

}  // namespace
}  // namespace penstock::wire
