// A worker's conversation with the queue: Hello until Welcome, then heartbeats both ways; after a silence a
// new socket and a new Hello under the same incarnation, while the work in flight goes on. Ownership: borrows
// the loop; owns its socket there. Threads: the loop's. Errors: none surface: the link tries for ever; up()
// says how it stands.
#pragma once

#include <functional>
#include <string>

#include "common/base/clock.hpp"
#include "common/wire/message_loop.hpp"

namespace penstock::runtime {

struct QueueLinkHandlers {
  std::function<wire::Hello()> hello;
  std::function<wire::Heartbeat()> heartbeat;
  /// Everything but Heartbeat and Refused; a Welcome opens the link first.
  std::function<void(wire::Message)> received;
  /// Said once per refusal and once per loss.
  std::function<void(const std::string&)> say;
};

struct QueueAddress {
  std::string endpoint;
  std::string curve_key = {};  ///< the queue's public key where the loop is secured
};

class QueueLink {
 public:
  QueueLink(wire::MessageLoop& loop, const Clock& clock, QueueAddress address, QueueLinkHandlers handlers);
  ~QueueLink();
  QueueLink(const QueueLink&) = delete;
  QueueLink& operator=(const QueueLink&) = delete;

  /// Errors: an address that is none.
  [[nodiscard]] Status start();
  /// overloaded while the link is down: the caller keeps what matters and sends it after the next Welcome.
  [[nodiscard]] Status send(const wire::Message& message);
  /// Says Hello again: what it says (credits) has changed.
  void say_hello();
  [[nodiscard]] bool up() const { return welcomed_; }

 private:
  [[nodiscard]] Status connect();
  void on_message(wire::Message message);
  void tick();
  void lose(const std::string& why);

  wire::MessageLoop& loop_;
  const Clock& clock_;
  QueueAddress address_;
  QueueLinkHandlers handlers_;
  wire::DealerSocket* socket_ = nullptr;
  wire::MessageLoop::TimerId timer_ = 0;
  bool welcomed_ = false;
  SteadyTime last_heard_{}, last_sent_{};
  std::chrono::milliseconds heartbeat_interval_{1000}, heartbeat_timeout_{5000};
};

}  // namespace penstock::runtime
