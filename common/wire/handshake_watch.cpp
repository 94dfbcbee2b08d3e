#include "common/wire/handshake_watch.hpp"

#include <cstring>

#include "common/wire/handover.hpp"

namespace penstock::wire {
namespace {

using Who = MessageLoop::TurnedAway::Who;

constexpr int watched_events = ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL;

/// A monitor's first frame.
struct Event {
  std::uint16_t what = 0;
  std::uint32_t value = 0;
};

std::optional<Event> event_in(const zmq::message_t& frame) {
  Event event;
  if (frame.size() != sizeof event.what + sizeof event.value) return std::nullopt;
  const auto* bytes = static_cast<const std::byte*>(frame.data());
  std::memcpy(&event.what, bytes, sizeof event.what);
  std::memcpy(&event.value, bytes + sizeof event.what, sizeof event.value);
  return event;
}

std::optional<HandshakeWatch::Failure> failure_of(const Event& event) {
  if (event.what == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) return HandshakeWatch::Failure::key_not_listed;
  if (event.what != ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) return std::nullopt;
  if (event.value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
    return HandshakeWatch::Failure::other_mechanism;
  if (event.value == ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC) return HandshakeWatch::Failure::wrong_key;
  return std::nullopt;  // a stranger that speaks something else
}

Error turned_away(std::string what, std::string hint) {
  return {.code = ErrorCode::unauthorized, .what = std::move(what), .hint = std::move(hint)};
}

Error at_ours(HandshakeWatch::Failure failure, Speech ours, const std::string& address) {
  if (failure == HandshakeWatch::Failure::key_not_listed)
    return turned_away("a peer whose CURVE key is not listed was turned away at " + address,
                       "put its NAME.pub into the folder curve_clients and start this service again");
  if (failure == HandshakeWatch::Failure::wrong_key)
    return turned_away("a peer that believes we have another CURVE key was turned away at " + address,
                       "give it this service's NAME.pub");
  if (ours == Speech::curve)
    return turned_away("a peer without a CURVE key was turned away at " + address,
                       "give it a key: penstock keygen, curve_key");
  return turned_away("a peer that speaks CURVE was turned away at " + address + ", which is plain",
                     "give this service a key: penstock keygen, curve_key");
}

Error at_theirs(HandshakeWatch::Failure failure, Speech ours, const std::string& address) {
  if (failure == HandshakeWatch::Failure::key_not_listed)
    return turned_away(address + " does not list our CURVE key",
                       "put our NAME.pub into its folder curve_clients and start it again");
  if (failure == HandshakeWatch::Failure::wrong_key)
    return turned_away(address + " has another CURVE key than the one we were given", "give us its NAME.pub");
  if (ours == Speech::curve)
    return turned_away(address + " does not speak CURVE", "give it a key: penstock keygen, curve_key");
  return turned_away(address + " speaks CURVE and we have no key",
                     "give us a key and the other's: penstock keygen, curve_key");
}

}  // namespace

HandshakeWatch::HandshakeWatch(zmq::context_t& context, zmq::socket_t& watched, std::uint64_t number)
    : watched_(watched), events_(context, zmq::socket_type::pair) {
  // Never used twice: ZeroMQ gives an address free some time after its socket has closed.
  const std::string address = "inproc://penstock.handshakes." + std::to_string(number);
  events_.set(zmq::sockopt::linger, 0);
  if (zmq_socket_monitor(watched_.handle(), address.c_str(), watched_events) != 0) throw zmq::error_t();
  events_.connect(address);
}

void HandshakeWatch::close() {
  static_cast<void>(zmq_socket_monitor(watched_.handle(), nullptr, 0));
  events_.close();
}

std::optional<HandshakeWatch::Failure> HandshakeWatch::next() {
  for (;;) {
    zmq::message_t event, address;
    if (!events_.recv(event, zmq::recv_flags::dontwait)) return std::nullopt;
    take_over(event.data());
    if (event.more() && !events_.recv(address, zmq::recv_flags::dontwait)) return std::nullopt;
    const auto read = event_in(event);
    if (const auto failure = read ? failure_of(*read) : std::nullopt) return failure;
  }
}

MessageLoop::TurnedAway describe(HandshakeWatch::Failure failure, Who who, Speech ours,
                                 const std::string& address) {
  return {who, address,
          who == Who::peer ? at_ours(failure, ours, address) : at_theirs(failure, ours, address)};
}

}  // namespace penstock::wire
