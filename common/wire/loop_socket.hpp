// The two kinds of socket a loop runs. Included by message_loop.cpp and loop_socket.cpp only.
#pragma once

#include <atomic>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "common/wire/handshake_watch.hpp"
#include "common/wire/message_loop.hpp"
#include "common/wire/message_loop_context.hpp"
#include "common/wire/socket_options.hpp"

namespace penstock::wire {

/// One ZeroMQ socket and what it does with a message. Threads: the loop's.
class LoopSocket {
 public:
  LoopSocket(MessageLoop::Context& context, zmq::socket_type type, std::atomic<std::uint64_t>& dropped);
  virtual ~LoopSocket() = default;
  LoopSocket(const LoopSocket&) = delete;
  LoopSocket& operator=(const LoopSocket&) = delete;

  [[nodiscard]] zmq::socket_t& zmq() { return socket_; }
  [[nodiscard]] zmq::socket_t& handshakes() { return handshakes_.zmq(); }
  [[nodiscard]] bool is_open() const { return open_; }
  /// Handles at most a round's share of what has arrived: no peer starves the others.
  void receive_some();
  void report_refused(const std::function<void(const MessageLoop::TurnedAway&)>& handler);
  /// An inproc name was bound: a dealer that waits for it connects.
  virtual void on_bound(const std::string& address, std::uint64_t generation) = 0;
  virtual void close();

 protected:
  /// Handles one message's frames (all of them, received).
  virtual void handle(std::vector<zmq::message_t>& frames) = 0;
  /// Decodes and wipes; counts and returns nullopt when that fails.
  [[nodiscard]] std::optional<Message> decode_frame(zmq::message_t& frame);
  void drop() { ++dropped_; }
  [[nodiscard]] virtual MessageLoop::TurnedAway describe_refused(HandshakeWatch::Failure failure) const = 0;

  MessageLoop::Context& context_;
  zmq::socket_t socket_;
  Speech speech_ = Speech::plain;

 private:
  HandshakeWatch handshakes_;
  [[nodiscard]] bool receive(std::vector<zmq::message_t>& frames);
  std::atomic<std::uint64_t>& dropped_;
  bool open_ = true;
};

class LoopRouter final : public LoopSocket, public RouterSocket {
 public:
  LoopRouter(MessageLoop::Context& context, MessageLoop::RouterHandler handler,
             MessageLoop::ChunkHandler on_chunk, std::atomic<std::uint64_t>& dropped);
  /// Before bind().
  [[nodiscard]] Status serve_curve(const MessageLoop::Security& security);
  [[nodiscard]] Status bind(const std::vector<std::string>& addresses);
  [[nodiscard]] Status send(const PeerId& peer, const Message& message) override;
  [[nodiscard]] const std::vector<std::string>& endpoints() const override { return endpoints_; }
  void on_bound(const std::string& /*address*/, std::uint64_t /*generation*/) override {}
  void close() override;

 private:
  void handle(std::vector<zmq::message_t>& frames) override;
  [[nodiscard]] MessageLoop::TurnedAway describe_refused(HandshakeWatch::Failure failure) const override;
  [[nodiscard]] Status bind_one(const std::string& address);
  void handle_chunk(std::vector<zmq::message_t>& frames);
  MessageLoop::RouterHandler handler_;
  MessageLoop::ChunkHandler on_chunk_;
  std::string zap_domain_;  ///< empty: plain
  std::vector<std::string> endpoints_;
  std::vector<IpcFile> ipc_files_;
};

class LoopDealer final : public LoopSocket, public DealerSocket {
 public:
  LoopDealer(MessageLoop::Context& context, std::string address, MessageLoop::DealerHandler handler,
             std::atomic<std::uint64_t>& dropped);
  [[nodiscard]] Status connect(const std::string& routing_id);
  [[nodiscard]] Status send(const Message& message) override;
  [[nodiscard]] Status send_chunk(const StageChunk& chunk, const ChunkBytes& bytes) override;
  /// Before connect(). Errors: bad_request without the server's key.
  [[nodiscard]] Status use_curve(const MessageLoop::Security& security, const std::string& server_key);
  void on_bound(const std::string& address, std::uint64_t generation) override;

 private:
  void handle(std::vector<zmq::message_t>& frames) override;
  [[nodiscard]] MessageLoop::TurnedAway describe_refused(HandshakeWatch::Failure failure) const override;
  std::string address_;
  MessageLoop::DealerHandler handler_;
  std::uint64_t generation_ = 0;  ///< inproc: of the bind it is connected to; 0: none yet
};

}  // namespace penstock::wire
