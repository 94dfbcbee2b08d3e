// One thread, many sockets, timers, and a door for other threads: the reactor every service runs its ZeroMQ
// sockets on. Ownership: the loop owns its sockets; a PeerId names one remote end of a router. A pointer is
// dead after close(). Threads: everything except post(), stop() and dropped() is called on the loop's thread
// (inside a handler), or before
//   run(). A handler that throws ends run() with its exception.
// Transports: tcp://, ipc://, inproc:// behind one interface (the contract suite runs over all three). A
// stale ipc file
//   is replaced, a living one is a conflict; the file is 0600.
// Options: IMMEDIATE, bounded SNDHWM/RCVHWM, HEARTBEAT_*, ROUTER_MANDATORY and _HANDOVER, MAXMSGSIZE,
// HANDSHAKE_IVL,
//   bounded LINGER (socket_options.hpp holds the values).
// Errors: send() never blocks; a peer that is not connected (yet, or any more) or whose queue is full is
// overloaded, a
//   message above max_message_bytes body_too_large. Undecodable frames are counted and dropped.
// Cost: one encode and one copy-free hand-over per send; frames are wiped once sent or decoded.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/sensitive.hpp"
#include "common/wire/curve.hpp"
#include "common/wire/messages.hpp"

namespace penstock::wire {

using PeerId = std::string;  ///< the router's routing id of a connected dealer

/// Bytes that a chunk carries: a part of a buffer that lives until ZeroMQ has sent it.
struct ChunkBytes {
  std::shared_ptr<const SensitiveVector<std::byte>> whole;
  std::uint64_t offset = 0, size_bytes = 0;
  [[nodiscard]] std::span<const std::byte> view() const {
    return whole->reveal().subspan(offset, size_bytes);
  }
};
/// The largest chunk that is sent or taken.
inline constexpr std::uint64_t max_chunk_bytes = std::uint64_t{4} << 20;

class RouterSocket {
 public:
  virtual ~RouterSocket() = default;
  [[nodiscard]] virtual Status send(const PeerId& peer, const Message& message) = 0;
  /// The addresses bound, with real ports (tcp://127.0.0.1:43121).
  [[nodiscard]] virtual const std::vector<std::string>& endpoints() const = 0;
};

class DealerSocket {
 public:
  virtual ~DealerSocket() = default;
  [[nodiscard]] virtual Status send(const Message& message) = 0;
  /// The chunk and, in a second frame and without a copy, its bytes.
  [[nodiscard]] virtual Status send_chunk(const StageChunk& chunk, const ChunkBytes& bytes) = 0;
};

class MessageLoop {
 public:
  /// `context`: loops that share a context reach each other by inproc://.
  class Context;
  /// `io_threads`: what encrypts and copies to the network; one does for control messages.
  [[nodiscard]] static std::shared_ptr<Context> make_context(int io_threads = 1);
  explicit MessageLoop(std::shared_ptr<Context> context);
  ~MessageLoop();
  MessageLoop(const MessageLoop&) = delete;
  MessageLoop& operator=(const MessageLoop&) = delete;

  using RouterHandler = std::function<void(const PeerId&, Message)>;
  using DealerHandler = std::function<void(Message)>;
  /// `bytes` is read during the call only.
  using ChunkHandler =
      std::function<void(const PeerId&, const StageChunk&, std::span<const std::byte> bytes)>;

  /// Every socket made from now on speaks CURVE as `keys`: routers let through `clients` alone, dealers must
  /// be given their server's key. Not inproc, which leaves no process.
  struct Security {
    std::shared_ptr<const CurveKeys> keys;
    std::set<std::string> clients;  ///< public keys
  };
  void secure(Security security);

  /// A handshake that failed for its keys. Attempts go on: it is told again each time.
  struct TurnedAway {
    enum class Who : std::uint8_t { peer, us };
    Who who = Who::peer;
    std::string address;  ///< ours that the peer came to, or the other's
    Error error;          ///< unauthorized
  };
  /// Before the sockets are made. `handler` runs on the loop's thread.
  void on_turned_away(std::function<void(const TurnedAway&)> handler);
  /// Binds every address or none; port 0 or * takes a free one. Errors: conflict (address in use),
  /// bad_request.
  [[nodiscard]] Result<RouterSocket*> bind_router(const std::vector<std::string>& addresses,
                                                  RouterHandler handler, ChunkHandler on_chunk = {});
  /// Connects (and reconnects for ever); returns before the connection stands, until then send() is
  /// overloaded. `routing_id`: 1..255 bytes, unique per boot: name + incarnation. A second peer of the same
  /// id takes over. Errors: bad_request (no such transport, a malformed address or id, a key missing).
  [[nodiscard]] Result<DealerSocket*> connect_dealer(const std::string& address,
                                                     const std::string& routing_id, DealerHandler handler,
                                                     const std::string& server_key = {});
  void close(RouterSocket* socket);
  void close(DealerSocket* socket);

  using TimerId = std::uint64_t;
  TimerId every(std::chrono::milliseconds interval, std::function<void()> handler);
  TimerId after(std::chrono::milliseconds delay, std::function<void()> handler);
  void cancel(TimerId timer);

  /// Thread-safe: runs `work` on the loop's thread, in order.
  void post(std::function<void()> work);
  /// Runs until stop(). Thread-safe stop(): what was posted before it still runs; before run(), run() returns
  /// at once.
  void run();
  void stop();
  /// Thread-safe: frames received and dropped since the start (undecodable, malformed, too large).
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::wire
