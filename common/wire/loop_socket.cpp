#include "common/wire/loop_socket.hpp"

#include <memory>

#include "common/base/sensitive.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/handover.hpp"
#include "common/wire/socket_options.hpp"

namespace penstock::wire {
namespace {

constexpr int messages_per_round = 64;
constexpr std::size_t most_frames = 3;  // of a chunk: who, what, the bytes

std::span<std::byte> bytes_of(zmq::message_t& frame) {
  return {static_cast<std::byte*>(frame.data()), frame.size()};
}

/// A frame that owns the encoded bytes and wipes them when ZeroMQ is done with them.
zmq::message_t to_frame(std::vector<std::byte> bytes) {
  auto owned = std::make_unique<std::vector<std::byte>>(std::move(bytes));
  zmq::message_t frame(
      owned->data(), owned->size(),
      [](void* /*data*/, void* hint) {
        take_over(hint);
        const std::unique_ptr<std::vector<std::byte>> sent(static_cast<std::vector<std::byte>*>(hint));
        wipe(*sent);
      },
      owned.get());
  hand_over(owned->data());
  hand_over(owned.release());
  return frame;
}

Result<std::vector<std::byte>> encode_bounded(const Message& message) {
  auto bytes = encode(message);
  if (bytes.size() <= max_message_bytes) return bytes;
  wipe(bytes);
  return Error{.code = ErrorCode::body_too_large,
               .what = "a message of " + std::to_string(bytes.size()) + " bytes is above the limit of " +
                       std::to_string(max_message_bytes)};
}

Error not_sent(const std::string& to, std::string_view why) {
  return Error{.code = ErrorCode::overloaded,
               .what = "the message to " + to + " was not sent: " + std::string(why)};
}

/// Sends from the buffer itself, which the frame keeps alive.
zmq::message_t to_frame(const ChunkBytes& bytes) {
  auto kept = std::make_unique<ChunkBytes>(bytes);
  const auto view = bytes.view();
  zmq::message_t frame(
      const_cast<std::byte*>(view.data()), view.size(),
      [](void* /*data*/, void* hint) {
        take_over(hint);
        const std::unique_ptr<ChunkBytes> sent(static_cast<ChunkBytes*>(hint));
      },
      kept.get());
  hand_over(kept.release());
  return frame;
}

std::string secret_text(const CurveKeys& keys) {
  const auto secret = keys.secret_key.reveal();
  return {secret.data(), secret.size()};
}

}  // namespace

LoopSocket::LoopSocket(MessageLoop::Context& context, zmq::socket_type type,
                       std::atomic<std::uint64_t>& dropped)
    : context_(context),
      socket_(context.zmq(), type),
      handshakes_(context.zmq(), socket_, context.next_number()),
      dropped_(dropped) {
  set_options(socket_);
}

void LoopSocket::close() {
  open_ = false;
  handshakes_.close();
  socket_.close();
}

void LoopSocket::report_refused(const std::function<void(const MessageLoop::TurnedAway&)>& handler) {
  // The handler may close this socket.
  while (open_) {
    const auto failure = handshakes_.next();
    if (!failure) return;
    if (handler) handler(describe_refused(*failure));
  }
}

bool LoopSocket::receive(std::vector<zmq::message_t>& frames) {
  frames.clear();
  try {
    bool more = true;
    for (std::size_t count = 0; more; ++count) {
      zmq::message_t frame;
      if (!socket_.recv(frame, zmq::recv_flags::dontwait)) return false;
      take_over(frame.data());
      more = frame.more();
      // What has more frames than any message of ours is read to its end and refused by handle().
      if (count <= most_frames) frames.push_back(std::move(frame));
    }
    return true;
  } catch (const zmq::error_t& error) {
    if (error.num() == EINTR) return false;
    throw;
  }
}

void LoopSocket::receive_some() {
  std::vector<zmq::message_t> frames;
  for (int i = 0; i < messages_per_round && open_ && receive(frames); ++i) handle(frames);
}

std::optional<Message> LoopSocket::decode_frame(zmq::message_t& frame) {
  auto message = decode(bytes_of(frame));
  wipe(bytes_of(frame));
  hand_over(frame.data());
  if (message.ok()) return std::move(message).value();
  drop();
  return std::nullopt;
}

LoopRouter::LoopRouter(MessageLoop::Context& context, MessageLoop::RouterHandler handler,
                       MessageLoop::ChunkHandler on_chunk, std::atomic<std::uint64_t>& dropped)
    : LoopSocket(context, zmq::socket_type::router, dropped),
      handler_(std::move(handler)),
      on_chunk_(std::move(on_chunk)) {
  socket_.set(zmq::sockopt::router_mandatory, true);
  socket_.set(zmq::sockopt::router_handover, true);
}

Status LoopRouter::serve_curve(const MessageLoop::Security& security) {
  // A domain a socket: one router's clients are not another's.
  zap_domain_ = "penstock." + std::to_string(reinterpret_cast<std::uintptr_t>(this));
  context_.zap().allow(zap_domain_, security.clients);
  std::string secret = secret_text(*security.keys);
  socket_.set(zmq::sockopt::curve_server, true);
  socket_.set(zmq::sockopt::curve_secretkey, secret);
  wipe(std::as_writable_bytes(std::span<char>(secret)));
  speech_ = Speech::curve;
  return enforce_zap_domain(socket_, zap_domain_);
}

MessageLoop::TurnedAway LoopRouter::describe_refused(HandshakeWatch::Failure failure) const {
  const std::string address = endpoints_.empty() ? std::string("our socket") : endpoints_.front();
  return describe(failure, MessageLoop::TurnedAway::Who::peer, speech_, address);
}

Status LoopRouter::bind(const std::vector<std::string>& addresses) {
  if (addresses.empty()) return Error{.code = ErrorCode::bad_request, .what = "there is no address to bind"};
  for (const auto& address : addresses) PENSTOCK_TRY(bind_one(address));
  return {};
}

Status LoopRouter::bind_one(const std::string& address) {
  const Transport transport = PENSTOCK_TRY(transport_of(address));
  if (transport == Transport::ipc) PENSTOCK_TRY(check_ipc_free(address));
  try {
    socket_.bind(address);
    endpoints_.push_back(socket_.get(zmq::sockopt::last_endpoint));
  } catch (const zmq::error_t& error) {
    return socket_error(address, error);
  }
  if (transport == Transport::ipc) ipc_files_.emplace_back(endpoints_.back());
  if (transport == Transport::inproc) context_.bound(address);
  return {};
}

void LoopRouter::close() {
  for (const auto& endpoint : endpoints_) {
    if (endpoint.starts_with("inproc://")) context_.unbound(endpoint);
    try {
      socket_.unbind(endpoint);
    } catch (const zmq::error_t&) {  // gone already: closing goes on
    }
  }
  for (const auto& file : ipc_files_) file.remove();
  ipc_files_.clear();
  if (!zap_domain_.empty()) context_.zap().forget(zap_domain_);
  LoopSocket::close();
}

Status LoopRouter::send(const PeerId& peer, const Message& message) {
  zmq::message_t payload = to_frame(PENSTOCK_TRY(encode_bounded(message)));
  const std::string to = is_safe_name(peer) ? peer : "a peer";
  try {
    zmq::message_t routing_id(peer.data(), peer.size());
    if (!socket_.send(routing_id, zmq::send_flags::sndmore | zmq::send_flags::dontwait))
      return not_sent(to, "its queue is full");
    if (!socket_.send(payload, zmq::send_flags::dontwait)) return not_sent(to, "its queue is full");
    return {};
  } catch (const zmq::error_t& error) {
    if (error.num() == EHOSTUNREACH) return not_sent(to, "it is not connected");
    throw;
  }
}

void LoopRouter::handle_chunk(std::vector<zmq::message_t>& frames) {
  auto message = decode_frame(frames[1]);
  if (!message) return;
  const auto* chunk = std::get_if<StageChunk>(&*message);
  const bool taken = chunk != nullptr && on_chunk_ && frames[2].size() <= max_chunk_bytes;
  if (taken) on_chunk_(frames[0].to_string(), *chunk, bytes_of(frames[2]));
  wipe(bytes_of(frames[2]));
  if (!taken) drop();
}

void LoopRouter::handle(std::vector<zmq::message_t>& frames) {
  if (frames.size() == 3) return handle_chunk(frames);
  if (frames.size() != 2) return drop();
  auto message = decode_frame(frames[1]);
  if (message) handler_(frames[0].to_string(), std::move(*message));
}

LoopDealer::LoopDealer(MessageLoop::Context& context, std::string address, MessageLoop::DealerHandler handler,
                       std::atomic<std::uint64_t>& dropped)
    : LoopSocket(context, zmq::socket_type::dealer, dropped),
      address_(std::move(address)),
      handler_(std::move(handler)) {}

Status LoopDealer::connect(const std::string& routing_id) {
  if (routing_id.empty() || routing_id.size() > 255 || routing_id.front() == '\0')
    return Error{.code = ErrorCode::bad_request,
                 .what = "a routing id has 1 to 255 bytes and does not begin with zero"};
  const Transport transport = PENSTOCK_TRY(transport_of(address_));
  try {
    socket_.set(zmq::sockopt::routing_id, routing_id);
    if (transport == Transport::inproc) {
      if (const auto generation = context_.generation(address_)) on_bound(address_, *generation);
      return {};
    }
    socket_.connect(address_);
    return {};
  } catch (const zmq::error_t& error) {
    return socket_error(address_, error);
  }
}

void LoopDealer::on_bound(const std::string& address, std::uint64_t generation) {
  if (address != address_ || generation <= generation_) return;
  if (generation_ != 0) {
    try {
      socket_.disconnect(address_);
    } catch (const zmq::error_t&) {  // the other end took the connection with it
    }
  }
  socket_.connect(address_);
  generation_ = generation;
}

Status LoopDealer::send(const Message& message) {
  zmq::message_t payload = to_frame(PENSTOCK_TRY(encode_bounded(message)));
  if (socket_.send(payload, zmq::send_flags::dontwait)) return {};
  return not_sent(address_, "it is not connected or its queue is full");
}

Status LoopDealer::send_chunk(const StageChunk& chunk, const ChunkBytes& bytes) {
  zmq::message_t head = to_frame(PENSTOCK_TRY(encode_bounded(chunk)));
  if (!socket_.send(head, zmq::send_flags::sndmore | zmq::send_flags::dontwait))
    return not_sent(address_, "it is not connected or its queue is full");
  zmq::message_t body = to_frame(bytes);
  if (socket_.send(body, zmq::send_flags::dontwait)) return {};
  return not_sent(address_, "its queue is full");
}

Status LoopDealer::use_curve(const MessageLoop::Security& security, const std::string& server_key) {
  if (address_.starts_with("inproc://")) return {};
  if (!is_curve_text(server_key))
    return Error{.code = ErrorCode::bad_request,
                 .what = "this service speaks CURVE and has no key of " + address_,
                 .hint = "give it the other's public key (NAME.pub of penstock keygen)"};
  std::string secret = secret_text(*security.keys);
  socket_.set(zmq::sockopt::curve_serverkey, server_key);
  socket_.set(zmq::sockopt::curve_publickey, security.keys->public_key);
  socket_.set(zmq::sockopt::curve_secretkey, secret);
  wipe(std::as_writable_bytes(std::span<char>(secret)));
  speech_ = Speech::curve;
  return {};
}

MessageLoop::TurnedAway LoopDealer::describe_refused(HandshakeWatch::Failure failure) const {
  return describe(failure, MessageLoop::TurnedAway::Who::us, speech_, address_);
}

void LoopDealer::handle(std::vector<zmq::message_t>& frames) {
  if (frames.size() != 1) return drop();
  auto message = decode_frame(frames[0]);
  if (message) handler_(std::move(*message));
}

}  // namespace penstock::wire
