// The handshakes of one socket that failed because the two ends do not agree who may talk how: a key that is
// not listed, a plain peer at a CURVE socket or the other way round. ZeroMQ itself keeps silent and tries
// again for ever. Ownership: owns its end of ZeroMQ's monitor; dies before the socket it watches.
// Threads: the loop's. Cost: nothing but at a failed handshake.
#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

#include "common/wire/message_loop.hpp"

namespace penstock::wire {

class HandshakeWatch {
 public:
  /// `number`: this watch's own in its context.
  HandshakeWatch(zmq::context_t& context, zmq::socket_t& watched, std::uint64_t number);
  [[nodiscard]] zmq::socket_t& zmq() { return events_; }
  /// Before the watched socket closes.
  void close();

  enum class Failure : std::uint8_t { key_not_listed, other_mechanism, wrong_key };
  /// The next one; nullopt when there is none (any more).
  [[nodiscard]] std::optional<Failure> next();

 private:
  zmq::socket_t& watched_;
  zmq::socket_t events_;
};

/// What to tell people. `is_secured`: our own socket speaks CURVE.
enum class Speech : std::uint8_t { plain, curve };
[[nodiscard]] MessageLoop::TurnedAway describe(HandshakeWatch::Failure failure,
                                               MessageLoop::TurnedAway::Who who, Speech ours,
                                               const std::string& address);

}  // namespace penstock::wire
