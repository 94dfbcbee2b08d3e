// Answers of the HTTP API: statuses of the error codes, refusals that are counted. Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "common/runtime/http_server.hpp"
#include "common/telemetry/metrics.hpp"

namespace penstock::queue {

using ResponderPtr = std::shared_ptr<runtime::Responder>;
using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] int http_status(ErrorCode code);

class Answers {
 public:
  explicit Answers(telemetry::Metrics& metrics) : metrics_(metrics) {}
  /// {"code", "message", "hint"} with the code's status; counted in rejected_total. What may be tried again
  /// (overloaded, draining) carries Retry-After.
  void refuse(const ResponderPtr& responder, const Error& error, HttpHeaders headers = {}) const;
  /// The same without the count: somebody asked for what is not there.
  static void tell(const ResponderPtr& responder, const Error& error);
  /// What Retry-After says from now on, from the measured backlog.
  void set_retry_after(std::chrono::seconds wait) { retry_after_seconds_ = wait.count(); }

 private:
  telemetry::Metrics& metrics_;
  std::atomic<std::chrono::seconds::rep> retry_after_seconds_{1};
};

[[nodiscard]] Error no_such_job();
[[nodiscard]] Error no_such_circuit(const std::string& name);

}  // namespace penstock::queue
