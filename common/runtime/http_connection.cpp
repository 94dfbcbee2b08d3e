// The life of a connection up to the handler: head, body, limits, deadlines. Answers are in
// http_responses.cpp.
#include "common/runtime/http_connection.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>

#include "common/runtime/http_responder.hpp"

namespace penstock::runtime {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

/// No client needs to be slower than this for long.
constexpr std::uint64_t slowest_bytes_per_second = 64 * 1024;
constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

HttpResponse refusal_of(error_code error) {
  if (error == http::error::body_limit)
    return error_response(413, ErrorCode::body_too_large, "the body is larger than this server takes");
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return error_response(431, ErrorCode::bad_request, "the request's head is too large");
  return error_response(400, ErrorCode::bad_request, "this is not HTTP: " + error.message());
}

/// Everything but the body; nullopt when the target is malformed.
std::optional<HttpRequest> request_of(const http::request_header<>& head) {
  auto target = parse_target({head.target().data(), head.target().size()});
  if (!target) return std::nullopt;
  HttpRequest request;
  request.method.assign(head.method_string().data(), head.method_string().size());
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  for (const auto& field : head) {
    std::string name(field.name_string().data(), field.name_string().size());
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    request.headers.emplace_back(std::move(name), std::string(field.value().data(), field.value().size()));
  }
  return request;
}

HttpResponse malformed_target() {
  return error_response(400, ErrorCode::bad_request, "the request's target is malformed");
}

HttpResponse handler_failed() {
  return error_response(500, ErrorCode::internal, "the request could not be handled");
}

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<HttpShared> shared, Socket socket)
    : shared_(std::move(shared)),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      buffer_(std::max<std::size_t>(shared_->options.max_header_bytes, 64 * 1024)) {
  error_code error;
  const auto remote = socket_.remote_endpoint(error);
  if (!error) remote_ = remote.address().to_string();
  socket_.set_option(boost::asio::ip::tcp::no_delay(true), error);
}

HttpConnection::~HttpConnection() {
  shared_->body_bytes -= accounted_bytes_;
}

void HttpConnection::start() {
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] { self->read_head(); });
}

void HttpConnection::arm(std::chrono::milliseconds delay, Expiry expiry) {
  timer_.expires_after(delay);
  timer_.async_wait([self = shared_from_this(), epoch = ++timer_epoch_, expiry](error_code error) {
    if (!error && epoch == self->timer_epoch_) (*self.*expiry)();
  });
}

void HttpConnection::disarm() {
  ++timer_epoch_;
  timer_.cancel();
}

void HttpConnection::read_head() {
  if (shared_->stopping || !connected_) return close();
  state_ = State::reading;
  timed_out_ = false;
  parser_.emplace();
  parser_->header_limit(shared_->options.max_header_bytes);
  parser_->body_limit(shared_->options.max_body_bytes);
  arm(shared_->options.idle_timeout, &HttpConnection::on_read_timeout);
  http::async_read_header(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](error_code error, std::size_t) { self->on_head(error); });
}

void HttpConnection::on_read_timeout() {
  timed_out_ = true;
  error_code ignored;
  socket_.cancel(ignored);
}

void HttpConnection::on_read_error(error_code error) {
  disarm();
  if (state_ == State::closed) return;
  if (timed_out_ && (parser_->got_some() || buffer_.size() > 0))
    return refuse(error_response(408, ErrorCode::time_limit, "the request did not arrive in time"));
  // Beast's own errors are about what was sent, Asio's about the connection.
  const bool is_http = error.category() == http::make_error_code(http::error::bad_method).category();
  if (!is_http || error == http::error::end_of_stream || error == http::error::partial_message)
    return close();
  refuse(refusal_of(error));
}

void HttpConnection::on_head(error_code error) {
  if (error) return on_read_error(error);
  const auto budget = std::chrono::seconds(shared_->options.max_body_bytes / slowest_bytes_per_second);
  body_deadline_ = std::chrono::steady_clock::now() + shared_->options.idle_timeout + budget;
  const auto& head = parser_->get();
  keep_alive_ = head.keep_alive();
  is_head_ = head.method() == http::verb::head;
  if (auto refusal = refusal_of_head()) {
    disarm();
    return refuse(std::move(*refusal));
  }
  if (head.version() < 11 || !boost::beast::iequals(head[http::field::expect], "100-continue"))
    return read_body();
  boost::asio::async_write(socket_, boost::asio::buffer(continue_line),
                           [self = shared_from_this()](error_code failed, std::size_t) {
                             if (failed) return self->close();
                             self->read_body();
                           });
}

/// Before "100 Continue" and the body: nullopt lets the request in.
std::optional<HttpResponse> HttpConnection::refusal_of_head() const {
  if (!shared_->admission || parser_->is_done()) return std::nullopt;
  auto request = request_of(parser_->get());
  if (!request) return malformed_target();
  request->remote = remote_;
  try {
    return shared_->admission(*request);
  } catch (const std::exception&) {
    return handler_failed();
  }
}

void HttpConnection::read_body() {
  if (state_ != State::reading) return;
  if (parser_->is_done()) return handle();
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(body_deadline_ - std::chrono::steady_clock::now());
  arm(std::clamp(left, std::chrono::milliseconds(0), shared_->options.idle_timeout),
      &HttpConnection::on_read_timeout);
  http::async_read_some(socket_, buffer_, *parser_,
                        [self = shared_from_this()](error_code error, std::size_t) { self->on_body(error); });
}

void HttpConnection::on_body(error_code error) {
  if (error) return on_read_error(error);
  if (!account_body()) {
    disarm();
    return refuse(
        error_response(503, ErrorCode::overloaded, "too many large requests at once", "try again later"));
  }
  read_body();
}

/// What all connections have received together is bounded.
bool HttpConnection::account_body() {
  const std::uint64_t size = parser_->get().body().size();
  const std::uint64_t grown = size - accounted_bytes_;
  accounted_bytes_ = size;
  return (shared_->body_bytes += grown) <=
         std::max(shared_->options.max_total_body_bytes, shared_->options.max_body_bytes);
}

void HttpConnection::handle() {
  disarm();
  auto message = parser_->release();
  shared_->body_bytes -= accounted_bytes_;
  accounted_bytes_ = 0;
  auto request = request_of(message);
  if (!request) return refuse(malformed_target());
  request->body = std::move(message.body());
  request->remote = remote_;
  state_ = State::handling;
  watch_peer();
  const auto responder = std::make_shared<ConnectionResponder>(shared_from_this());
  try {
    shared_->handler(std::move(*request), responder);
  } catch (const std::exception&) {
    responder->send(handler_failed());
  }
}

/// While an answer is awaited nothing is read; this only notices a client that hangs up.
void HttpConnection::watch_peer() {
  if (watching_) return;
  watching_ = true;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](error_code error) {
    self->watching_ = false;
    if (!error) self->on_peer_readable();
  });
}

void HttpConnection::on_peer_readable() {
  if (state_ != State::handling && state_ != State::streaming) return;
  char byte = 0;
  error_code error;
  socket_.non_blocking(true, error);
  const std::size_t size = socket_.receive(boost::asio::buffer(&byte, 1), Socket::message_peek, error);
  if (error == boost::asio::error::would_block) return watch_peer();
  if (!error && size > 0) return;  // a pipelined request: it is read when its turn comes
  connected_ = false;
  // After an orderly half close the answer may still be wanted; an event stream or a reset ends here.
  if (error != boost::asio::error::eof || state_ == State::streaming) close();
}

}  // namespace penstock::runtime
