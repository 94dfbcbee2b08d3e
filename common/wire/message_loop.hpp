// One thread, many sockets, timers, and a door for other threads: the reactor every service runs its ZeroMQ
// sockets on. Ownership: the loop owns its sockets; a Peer handle names one remote end of a router. Threads:
// everything except post() and stop() is called on the loop's thread (inside a handler), or before run().
// Transports: tcp://, ipc://, inproc:// behind one interface (the contract suite runs over all three).
// Options: IMMEDIATE, bounded SNDHWM/RCVHWM, HEARTBEAT_*, ROUTER_MANDATORY, MAXMSGSIZE, HANDSHAKE_IVL, LINGER
// 0 bounded. Errors: a peer that is gone or whose queue is full makes send() return overloaded; undecodable
// bytes are counted and dropped.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/messages.hpp"

namespace penstock::wire {

using PeerId = std::string;  ///< the router's routing id of a connected dealer

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
};

class MessageLoop {
 public:
  /// `context`: loops that share a context reach each other by inproc://.
  class Context;
  [[nodiscard]] static std::shared_ptr<Context> make_context();
  explicit MessageLoop(std::shared_ptr<Context> context);
  ~MessageLoop();

  using RouterHandler = std::function<void(const PeerId&, Message)>;
  using DealerHandler = std::function<void(Message)>;
  /// Binds every address; port 0 or * takes a free one. Errors: conflict (address in use), bad_request.
  [[nodiscard]] Result<RouterSocket*> bind_router(const std::vector<std::string>& addresses,
                                                  RouterHandler handler);
  /// Connects (and reconnects for ever). `routing_id` is unique per boot: name + incarnation.
  [[nodiscard]] Result<DealerSocket*> connect_dealer(const std::string& address,
                                                     const std::string& routing_id, DealerHandler handler);
  void close(RouterSocket* socket);
  void close(DealerSocket* socket);

  using TimerId = std::uint64_t;
  TimerId every(std::chrono::milliseconds interval, std::function<void()> handler);
  TimerId after(std::chrono::milliseconds delay, std::function<void()> handler);
  void cancel(TimerId timer);

  /// Thread-safe: runs `work` on the loop's thread, in order.
  void post(std::function<void()> work);
  /// Runs until stop(). Thread-safe stop().
  void run();
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::wire
