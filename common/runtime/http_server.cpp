#include "common/runtime/http_server.hpp"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <thread>

#include "common/runtime/http_connection.hpp"

namespace penstock::runtime {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds retry_accept{100};

/// Asio opens without O_CLOEXEC: a child process would keep the port and the clients.
void do_not_inherit(int fd) {
  static_cast<void>(::fcntl(fd, F_SETFD, FD_CLOEXEC));
}

Result<tcp::endpoint> endpoint_of(const HttpServerOptions& options) {
  error_code error;
  const auto address =
      asio::ip::make_address(options.address == "localhost" ? "127.0.0.1" : options.address, error);
  if (error)
    return Error{.code = ErrorCode::bad_request,
                 .what = "'" + options.address + "' is not an IP address",
                 .hint = "use 127.0.0.1, 0.0.0.0, ::1 or another address of this machine"};
  return tcp::endpoint(address, options.port);
}

Error bind_error(const HttpServerOptions& options, const error_code& error) {
  const bool in_use = error == asio::error::address_in_use;
  return Error{.code = in_use ? ErrorCode::conflict : ErrorCode::bad_request,
               .what = "cannot listen on " + options.address + " port " + std::to_string(options.port) +
                       ": " + error.message(),
               .hint = in_use ? "another process has the port; stop it or choose another" : ""};
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpServerOptions& options, Handler handler, Admission admission)
      : shared_(std::make_shared<HttpShared>()),
        acceptor_(asio::make_strand(shared_->io)),
        retry_(acceptor_.get_executor()) {
    shared_->options = options;
    shared_->handler = std::move(handler);
    shared_->admission = std::move(admission);
  }
  BeastServer(const BeastServer&) = delete;
  BeastServer& operator=(const BeastServer&) = delete;
  ~BeastServer() override { stop(); }

  [[nodiscard]] Status listen(const tcp::endpoint& endpoint) {
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) do_not_inherit(acceptor_.native_handle());
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    if (error) return bind_error(shared_->options, error);
    asio::post(acceptor_.get_executor(), [this] { accept(); });
    for (int i = 0; i < std::max(shared_->options.threads, 1); ++i)
      threads_.emplace_back([this] { shared_->io.run(); });
    return {};
  }

  [[nodiscard]] std::uint16_t port() const override { return port_; }

  void stop() override {
    if (shared_->stopping.exchange(true)) return;
    asio::post(acceptor_.get_executor(), [this] {
      error_code ignored;
      acceptor_.close(ignored);
      retry_.cancel();
    });
    for (const auto& connection : living()) connection->finish_soon();
    {
      std::unique_lock lock(shared_->mutex);
      shared_->all_closed.wait_for(lock, shared_->options.stop_grace,
                                   [this] { return shared_->connections.empty(); });
    }
    for (const auto& connection : living()) connection->close_now();
    work_.reset();
    for (auto& thread : threads_) thread.join();
    end_loop();
  }

 private:
  void accept() {
    acceptor_.async_accept(asio::make_strand(shared_->io), [this](error_code error, tcp::socket socket) {
      if (shared_->stopping) return;
      if (!error) admit(std::move(socket));
      if (!error || error == asio::error::connection_aborted) return accept();
      // Out of descriptors, most likely: wait for connections to close instead of spinning.
      retry_.expires_after(retry_accept);
      retry_.async_wait([this](error_code cancelled) {
        if (!cancelled) accept();
      });
    });
  }

  void admit(tcp::socket socket) {
    do_not_inherit(socket.native_handle());
    std::shared_ptr<HttpConnection> connection;
    {
      const std::scoped_lock lock(shared_->mutex);
      if (shared_->connections.size() <
          static_cast<std::size_t>(std::max(shared_->options.max_connections, 1))) {
        connection = std::make_shared<HttpConnection>(shared_, std::move(socket));
        shared_->connections.emplace(connection.get(), connection);
      }
    }
    if (connection) return connection->start();
    const auto refusal =
        error_response(503, ErrorCode::overloaded, "too many connections", "try again later");
    const std::string text = response_head(refusal, AfterResponse::close) + refusal.body;
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.send(asio::buffer(text), 0, ignored);
  }

  std::vector<std::shared_ptr<HttpConnection>> living() {
    const std::scoped_lock lock(shared_->mutex);
    std::vector<std::shared_ptr<HttpConnection>> out;
    for (const auto& [key, connection] : shared_->connections)
      if (auto alive = connection.lock()) out.push_back(std::move(alive));
    return out;
  }

  /// A Responder may post up to this moment; what it posted runs here, so nothing stays in the loop and keeps
  /// it alive.
  void end_loop() {
    {
      const std::scoped_lock lock(shared_->mutex);
      shared_->loop_ended = true;
    }
    shared_->io.restart();
    shared_->io.poll();
  }

  std::shared_ptr<HttpShared> shared_;
  asio::executor_work_guard<asio::io_context::executor_type> work_{shared_->io.get_executor()};
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  std::uint16_t port_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpServerOptions& options, Handler handler,
                                                      Admission admission) {
  const auto endpoint = PENSTOCK_TRY(endpoint_of(options));
  auto server = std::make_unique<BeastServer>(options, std::move(handler), std::move(admission));
  PENSTOCK_TRY(server->listen(endpoint));
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace penstock::runtime
