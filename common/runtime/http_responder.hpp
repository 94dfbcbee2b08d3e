// The Responder of one request: forwards to its connection, once. Included by http_*.cpp only.
// Threads: any, one at a time.
#pragma once

#include <atomic>
#include <memory>

#include "common/runtime/http_connection.hpp"

namespace penstock::runtime {

class ConnectionResponder final : public Responder {
 public:
  explicit ConnectionResponder(std::shared_ptr<HttpConnection> connection)
      : connection_(std::move(connection)) {}
  ConnectionResponder(const ConnectionResponder&) = delete;
  ConnectionResponder& operator=(const ConnectionResponder&) = delete;
  /// A request is never left without an answer.
  ~ConnectionResponder() override {
    if (step_ == Step::streaming) end_events();
    if (step_ == Step::fresh)
      send(error_response(500, ErrorCode::internal, "the request was dropped unanswered"));
  }

  void send(HttpResponse response) override {
    if (advance(Step::fresh, Step::spent)) connection_->send(std::move(response));
  }
  void begin_events(std::string first) override {
    if (advance(Step::fresh, Step::streaming)) connection_->begin_events(std::move(first));
  }
  bool write_event(std::string_view event, std::string_view data) override {
    return step_ == Step::streaming && connection_->write_event(event, data);
  }
  void end_events() override {
    if (advance(Step::streaming, Step::spent)) connection_->end_events();
  }
  [[nodiscard]] bool connected() const override { return step_ != Step::spent && connection_->connected(); }

 private:
  enum class Step : std::uint8_t { fresh, streaming, spent };
  bool advance(Step from, Step to) { return step_.compare_exchange_strong(from, to); }

  std::shared_ptr<HttpConnection> connection_;
  std::atomic<Step> step_{Step::fresh};
};

}  // namespace penstock::runtime
