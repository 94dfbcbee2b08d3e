#include "common/wire/zap.hpp"

#include <array>
#include <vector>

#include "common/wire/curve.hpp"

namespace penstock::wire {
namespace {

constexpr const char* zap_address = "inproc://zeromq.zap.01";
constexpr std::size_t request_frames = 7;  // version, id, domain, address, identity, mechanism, key
constexpr std::size_t key_bytes = 32;

void send_text(zmq::socket_t& socket, std::string_view text, zmq::send_flags flags) {
  socket.send(zmq::buffer(text), flags);
}

}  // namespace

ZapHandler::ZapHandler(zmq::context_t& context)
    : questions_(context, zmq::socket_type::rep),
      stop_here_(context, zmq::socket_type::pair),
      stop_there_(context, zmq::socket_type::pair) {
  const std::string stop_address =
      "inproc://penstock.zap.stop." + std::to_string(reinterpret_cast<std::uintptr_t>(this));
  questions_.set(zmq::sockopt::linger, 0);
  stop_here_.set(zmq::sockopt::linger, 0);
  stop_there_.set(zmq::sockopt::linger, 0);
  stop_there_.bind(stop_address);
  stop_here_.connect(stop_address);
  questions_.bind(zap_address);
  thread_ = std::thread([this] { run(); });
}

ZapHandler::~ZapHandler() {
  send_text(stop_here_, "", zmq::send_flags::none);
  thread_.join();
}

void ZapHandler::allow(const std::string& domain, std::set<std::string> clients) {
  const std::scoped_lock lock(mutex_);
  domains_[domain] = std::move(clients);
}

void ZapHandler::forget(const std::string& domain) {
  const std::scoped_lock lock(mutex_);
  domains_.erase(domain);
}

void ZapHandler::run() {
  std::array<zmq::pollitem_t, 2> items = {
      {{questions_.handle(), 0, ZMQ_POLLIN, 0}, {stop_there_.handle(), 0, ZMQ_POLLIN, 0}}};
  for (;;) {
    if (zmq_poll(items.data(), static_cast<int>(items.size()), -1) < 0) continue;  // interrupted
    if ((items[1].revents & ZMQ_POLLIN) != 0) return;
    if ((items[0].revents & ZMQ_POLLIN) != 0) answer();
  }
}

void ZapHandler::answer() {
  std::vector<zmq::message_t> frames;
  for (bool more = true; more;) {
    zmq::message_t frame;
    if (!questions_.recv(frame, zmq::recv_flags::none)) return;
    more = frame.more();
    frames.push_back(std::move(frame));
  }
  const bool allowed =
      frames.size() == request_frames && is_allowed(frames[2].to_string(), frames[5].to_string(), frames[6]);
  send_text(questions_, "1.0", zmq::send_flags::sndmore);
  send_text(questions_, frames.size() > 1 ? frames[1].to_string_view() : std::string_view(),
            zmq::send_flags::sndmore);
  send_text(questions_, allowed ? "200" : "400", zmq::send_flags::sndmore);
  send_text(questions_, allowed ? "OK" : "this key is not known here", zmq::send_flags::sndmore);
  send_text(questions_, "", zmq::send_flags::sndmore);
  send_text(questions_, "", zmq::send_flags::none);
}

bool ZapHandler::is_allowed(const std::string& domain, const std::string& mechanism,
                            const zmq::message_t& key) {
  if (mechanism != "CURVE" || key.size() != key_bytes) return false;
  std::array<char, curve_text_size + 1> text{};
  if (zmq_z85_encode(text.data(), static_cast<const std::uint8_t*>(key.data()), key_bytes) == nullptr)
    return false;
  const std::scoped_lock lock(mutex_);
  const auto clients = domains_.find(domain);
  return clients != domains_.end() && clients->second.contains(std::string(text.data(), curve_text_size));
}

}  // namespace penstock::wire
