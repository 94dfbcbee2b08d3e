#include "common/runtime/queue_link.hpp"

#include <utility>

namespace penstock::runtime {
namespace {

constexpr std::chrono::milliseconds tick_interval{200};
constexpr std::chrono::milliseconds hello_interval{1000};

}  // namespace

QueueLink::QueueLink(wire::MessageLoop& loop, const Clock& clock, QueueAddress address,
                     QueueLinkHandlers handlers)
    : loop_(loop), clock_(clock), address_(std::move(address)), handlers_(std::move(handlers)) {}

QueueLink::~QueueLink() {
  if (timer_ != 0) loop_.cancel(timer_);
  if (socket_ != nullptr) loop_.close(socket_);
}

Status QueueLink::start() {
  PENSTOCK_TRY(connect());
  timer_ = loop_.every(tick_interval, [this] { tick(); });
  return {};
}

Status QueueLink::connect() {
  const wire::Hello hello = handlers_.hello();
  const std::string routing_id = hello.name.text() + "/" + hello.incarnation.text();
  socket_ = PENSTOCK_TRY(loop_.connect_dealer(
      address_.endpoint, routing_id, [this](wire::Message message) { on_message(std::move(message)); },
      address_.curve_key));
  last_heard_ = clock_.steady_now();
  last_sent_ = {};  // the first tick says Hello, when the connection stands
  return {};
}

Status QueueLink::send(const wire::Message& message) {
  if (welcomed_ && socket_ != nullptr) return socket_->send(message);
  return Error{.code = ErrorCode::overloaded, .what = "the queue is not connected"};
}

void QueueLink::say_hello() {
  if (socket_ != nullptr) static_cast<void>(socket_->send(handlers_.hello()));
}

void QueueLink::on_message(wire::Message message) {
  last_heard_ = clock_.steady_now();
  if (const auto* welcome = std::get_if<wire::Welcome>(&message)) {
    welcomed_ = true;
    heartbeat_interval_ = welcome->heartbeat_interval;
    heartbeat_timeout_ = welcome->heartbeat_timeout;
  }
  if (const auto* refused = std::get_if<wire::Refused>(&message)) {
    welcomed_ = false;
    return handlers_.say("the queue refused this service: " + to_string(refused->error));
  }
  if (!std::holds_alternative<wire::Heartbeat>(message)) handlers_.received(std::move(message));
}

void QueueLink::tick() {
  const SteadyTime now = clock_.steady_now();
  if (now - last_heard_ > heartbeat_timeout_) return lose("nothing was heard from the queue");
  const auto interval = welcomed_ ? heartbeat_interval_ : hello_interval;
  if (socket_ == nullptr || now - last_sent_ < interval) return;
  const wire::Message message =
      welcomed_ ? wire::Message(handlers_.heartbeat()) : wire::Message(handlers_.hello());
  // Not connected yet: the next tick tries again.
  if (socket_->send(message).ok()) last_sent_ = now;
}

void QueueLink::lose(const std::string& why) {
  if (std::exchange(welcomed_, false)) handlers_.say(why + "; connecting again");
  if (socket_ != nullptr) loop_.close(std::exchange(socket_, nullptr));
  if (const Status connected = connect(); !connected) {
    last_heard_ = clock_.steady_now();
    handlers_.say(to_string(connected.error()));
  }
}

}  // namespace penstock::runtime
