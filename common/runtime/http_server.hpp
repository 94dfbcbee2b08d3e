// A small asynchronous HTTP/1.1 server (Boost.Beast): an event loop, so that a thousand long polls cost no
// thread. Ownership: the server owns its threads and connections; a Responder keeps its connection alive.
// Threads: the handler runs on a server thread and must not block; a Responder may be used from any thread,
// later. Errors: what a client does wrong is answered by the server (400, 408, 413, 431, 503) as
// {"code","message","hint"}.
//   A handler that throws, or a Responder dropped unanswered, is a 500.
// Security: bounded connections, header bytes, body bytes (each and together) and idle time; a slow client is
// cut off.
//   Bodies are held in memory. Descriptors are not inherited by child processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"

namespace penstock::runtime {

struct HttpRequest {
  std::string method;  ///< upper case
  std::string path;    ///< decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case
  std::string body;
  std::string remote;  ///< address of the peer
  [[nodiscard]] std::string_view header(std::string_view lower_name) const;
  [[nodiscard]] std::string_view query_value(std::string_view key) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

class Responder {
 public:
  virtual ~Responder() = default;
  virtual void send(HttpResponse response) = 0;  ///< once; afterwards the responder is spent
  /// Server-sent events: begin, then any number of events, then end. write() returns false when the client is
  /// gone or reads too slowly.
  void begin_events() { begin_events({}); }
  /// `first`: what the stream begins with (event_text()s), sent whole however long it is.
  virtual void begin_events(std::string first) = 0;
  virtual bool write_event(std::string_view event, std::string_view data) = 0;
  virtual void end_events() = 0;
  [[nodiscard]] virtual bool connected() const = 0;  ///< false once the client has hung up
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  int threads = 1;
  std::uint64_t max_body_bytes = std::uint64_t{64} << 20;
  std::uint64_t max_total_body_bytes = std::uint64_t{512} << 20;  ///< of all requests being received
  std::uint32_t max_header_bytes = 16 * 1024;
  int max_connections = 1024;
  std::chrono::milliseconds idle_timeout{
      60000};  ///< for a request's head, each further piece of body, a keep-alive
  std::chrono::milliseconds stop_grace{5000};  ///< how long stop() waits for answers in flight
};

class HttpServer {
 public:
  using Handler = std::function<void(HttpRequest, std::shared_ptr<Responder>)>;
  /// Asked about the head of a request with a body, before any of the body is read: an answer refuses it. Who
  /// may not come in holds none of the room for bodies. On a server thread; must not block.
  using Admission = std::function<std::optional<HttpResponse>(const HttpRequest& head)>;
  /// Binds and starts. Errors: conflict (address in use), bad_request (not an address).
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(const HttpServerOptions& options,
                                                                 Handler handler, Admission admission = {});
  virtual ~HttpServer() = default;                       ///< stops, joins
  [[nodiscard]] virtual std::uint16_t port() const = 0;  ///< the real one
  virtual void stop() = 0;  ///< closes the listener, lets responses in flight finish (bounded)
};

}  // namespace penstock::runtime
