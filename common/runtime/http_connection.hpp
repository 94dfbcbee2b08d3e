// One client's connection, and what all connections of a server share. Included by http_*.cpp only (Beast,
// Asio). Threads: a connection's members belong to its strand, except where noted; a Responder reaches it
// through post().
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "common/runtime/http_body.hpp"
#include "common/runtime/http_server.hpp"
#include "common/runtime/http_text.hpp"

namespace penstock::runtime {

class HttpConnection;

/// Lives as long as any connection, and connections live as long as a Responder holds them.
struct HttpShared {
  HttpServerOptions options;
  HttpServer::Handler handler;
  HttpServer::Admission admission;  ///< may be empty
  boost::asio::io_context io;
  std::atomic<bool> stopping{false};
  std::atomic<std::uint64_t> body_bytes{0};

  std::mutex mutex;
  std::condition_variable all_closed;
  bool loop_ended = false;  // guarded by mutex: what is posted afterwards would never run
  std::unordered_map<HttpConnection*, std::weak_ptr<HttpConnection>> connections;  // guarded by mutex
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Socket = boost::asio::ip::tcp::socket;

  HttpConnection(std::shared_ptr<HttpShared> shared, Socket socket);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();

  // From any thread, for the Responder of the request being handled.
  void send(HttpResponse response);
  void begin_events(std::string first);
  bool write_event(std::string_view event, std::string_view data);
  void end_events();
  [[nodiscard]] bool connected() const { return connected_; }

  // From any thread, for stop().
  void finish_soon();  ///< closes unless an answer is in flight
  void close_now();

 private:
  enum class State : std::uint8_t { reading, handling, writing, streaming, lingering, closed };
  using Expiry = void (HttpConnection::*)();

  template <class Work>
  void post(Work work);
  void arm(std::chrono::milliseconds delay, Expiry expiry);
  void disarm();

  void read_head();
  void on_head(boost::system::error_code error);
  [[nodiscard]] std::optional<HttpResponse> refusal_of_head() const;
  void read_body();
  void on_body(boost::system::error_code error);
  void on_read_error(boost::system::error_code error);
  void on_read_timeout();
  [[nodiscard]] bool account_body();
  void handle();
  void watch_peer();
  void on_peer_readable();

  void write_response(HttpResponse response);
  void refuse(HttpResponse response);
  void start_stream();
  void pump_events();
  void on_stream_quiet();
  void linger();
  void discard_more();
  void close();

  std::shared_ptr<HttpShared> shared_;
  Socket socket_;
  boost::asio::steady_timer timer_;
  std::uint64_t timer_epoch_ = 0;
  State state_ = State::reading;
  std::string remote_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<GrowingBody>> parser_;
  std::chrono::steady_clock::time_point body_deadline_{};
  std::uint64_t accounted_bytes_ = 0;
  bool timed_out_ = false, keep_alive_ = false, is_head_ = false, watching_ = false;
  bool unread_ = false;      ///< refused before all of the request was read
  std::string head_, body_;  ///< being written
  std::atomic<bool> connected_{true};

  std::mutex events_mutex_;
  std::string events_;          ///< guarded: waiting to be written
  std::size_t begun_with_ = 0;  ///< guarded: bytes of `events_` that the slow client's bound does not count
  bool events_ended_ = false;   ///< guarded
  bool event_write_in_flight_ = false;
};

}  // namespace penstock::runtime
