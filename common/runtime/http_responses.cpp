// A connection's answers: responses, event streams, refusals, the orderly end.
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "common/runtime/http_connection.hpp"

namespace penstock::runtime {
namespace {

using boost::system::error_code;

constexpr std::size_t most_waiting_events_bytes = std::size_t{1} << 20;
constexpr std::chrono::seconds keep_stream_alive{15};
constexpr std::chrono::seconds linger_time{2};
constexpr std::uint64_t slowest_bytes_per_second = 64 * 1024;

}  // namespace

/// Runs `work` on the strand; after the loop's end nothing runs any more.
template <class Work>
void HttpConnection::post(Work work) {
  const std::scoped_lock lock(shared_->mutex);
  if (!shared_->loop_ended) boost::asio::post(socket_.get_executor(), std::move(work));
}

void HttpConnection::send(HttpResponse response) {
  post([self = shared_from_this(), response = std::move(response)]() mutable {
    if (self->state_ == State::handling) self->write_response(std::move(response));
  });
}

void HttpConnection::write_response(HttpResponse response) {
  state_ = State::writing;
  keep_alive_ = keep_alive_ && !shared_->stopping && connected_;
  head_ = response_head(response, keep_alive_ ? AfterResponse::keep_alive : AfterResponse::close);
  body_ =
      is_head_ || response.status == 204 || response.status == 304 ? std::string() : std::move(response.body);
  arm(shared_->options.idle_timeout + std::chrono::seconds(body_.size() / slowest_bytes_per_second),
      &HttpConnection::close);
  const std::array<boost::asio::const_buffer, 2> parts = {boost::asio::buffer(head_),
                                                          boost::asio::buffer(body_)};
  boost::asio::async_write(socket_, parts, [self = shared_from_this()](error_code error, std::size_t) {
    if (self->state_ == State::closed) return;
    self->disarm();
    if (error) return self->close();
    if (self->keep_alive_) return self->read_head();
    self->linger();
  });
}

void HttpConnection::refuse(HttpResponse response) {
  keep_alive_ = false;
  unread_ = true;
  write_response(std::move(response));
}

void HttpConnection::begin_events(std::string first) {
  {
    const std::scoped_lock lock(events_mutex_);
    events_ = event_stream_head();
    if (!is_head_) events_ += first;
    begun_with_ = events_.size();
    events_ended_ = is_head_;
  }
  post([self = shared_from_this()] { self->start_stream(); });
}

void HttpConnection::start_stream() {
  if (state_ != State::handling) return;
  if (shared_->stopping || !connected_) return close();
  state_ = State::streaming;
  watch_peer();
  pump_events();
}

bool HttpConnection::write_event(std::string_view event, std::string_view data) {
  if (!connected_) return false;
  {
    const std::scoped_lock lock(events_mutex_);
    if (events_ended_) return false;
    if (events_.size() - begun_with_ > most_waiting_events_bytes) {
      close_now();
      return false;
    }
    events_ += event_text(event, data);
  }
  post([self = shared_from_this()] { self->pump_events(); });
  return true;
}

void HttpConnection::end_events() {
  {
    const std::scoped_lock lock(events_mutex_);
    events_ended_ = true;
  }
  post([self = shared_from_this()] { self->pump_events(); });
}

void HttpConnection::pump_events() {
  if (state_ != State::streaming || event_write_in_flight_) return;
  bool ended = false;
  {
    const std::scoped_lock lock(events_mutex_);
    body_ = std::move(events_);
    events_.clear();
    begun_with_ = 0;
    ended = events_ended_;
  }
  if (body_.empty()) {
    if (ended) return linger();
    return arm(keep_stream_alive, &HttpConnection::on_stream_quiet);
  }
  event_write_in_flight_ = true;
  arm(shared_->options.idle_timeout + std::chrono::seconds(body_.size() / slowest_bytes_per_second),
      &HttpConnection::close);
  boost::asio::async_write(socket_, boost::asio::buffer(body_),
                           [self = shared_from_this()](error_code error, std::size_t) {
                             self->event_write_in_flight_ = false;
                             if (self->state_ != State::streaming) return;
                             self->disarm();
                             if (error) return self->close();
                             self->pump_events();
                           });
}

void HttpConnection::on_stream_quiet() {
  {
    const std::scoped_lock lock(events_mutex_);
    events_ += ":\n\n";
  }
  pump_events();
}

/// Closes so that the client can still read the answer: a close with unread input would reset the connection.
void HttpConnection::linger() {
  if (state_ == State::closed) return;
  error_code ignored;
  if (!unread_ && socket_.available(ignored) == 0) return close();
  state_ = State::lingering;
  socket_.shutdown(Socket::shutdown_send, ignored);
  arm(linger_time, &HttpConnection::close);
  discard_more();
}

void HttpConnection::discard_more() {
  buffer_.clear();
  socket_.async_read_some(buffer_.prepare(16 * 1024),
                          [self = shared_from_this()](error_code error, std::size_t) {
                            if (self->state_ == State::closed) return;
                            if (error) return self->close();
                            self->discard_more();
                          });
}

void HttpConnection::finish_soon() {
  post([self = shared_from_this()] {
    if (self->state_ != State::handling && self->state_ != State::writing) self->close();
  });
}

void HttpConnection::close_now() {
  post([self = shared_from_this()] { self->close(); });
}

void HttpConnection::close() {
  if (state_ == State::closed) return;
  state_ = State::closed;
  connected_ = false;
  disarm();
  error_code ignored;
  socket_.close(ignored);
  const std::scoped_lock lock(shared_->mutex);
  shared_->connections.erase(this);
  if (shared_->connections.empty()) shared_->all_closed.notify_all();
}

}  // namespace penstock::runtime
