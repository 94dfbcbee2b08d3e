#include "services/queue/answers.hpp"

#include "services/queue/json_views.hpp"

namespace penstock::queue {

int http_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::unauthorized:
      return 401;
    case ErrorCode::circuit_unknown:
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::conflict:
      return 409;
    case ErrorCode::body_too_large:
      return 413;
    case ErrorCode::witness_unsatisfied:
    case ErrorCode::assert_failed:
    case ErrorCode::key_mismatch:
    case ErrorCode::insecure_key:
    case ErrorCode::signal_missing:
    case ErrorCode::signal_surplus:
    case ErrorCode::signal_value:
      return 422;
    case ErrorCode::overloaded:
      return 429;
    case ErrorCode::draining:
    case ErrorCode::device_unavailable:
      return 503;
    case ErrorCode::internal:
    case ErrorCode::out_of_memory:
    case ErrorCode::file_unreadable:
    case ErrorCode::file_unwritable:
      return 500;
    default:
      return 400;  // what was sent is wrong, and the code says how
  }
}

void Answers::refuse(const ResponderPtr& responder, const Error& error, HttpHeaders headers) const {
  metrics_.add("rejected_total", {{"reason", name(error.code)}});
  if (error.code == ErrorCode::overloaded || error.code == ErrorCode::draining)
    headers.emplace_back("Retry-After", std::to_string(retry_after_seconds_));
  responder->send(
      {.status = http_status(error.code), .body = error_json(error), .headers = std::move(headers)});
}

void Answers::tell(const ResponderPtr& responder, const Error& error) {
  responder->send({.status = http_status(error.code), .body = error_json(error)});
}

Error no_such_job() {
  return {.code = ErrorCode::not_found,
          .what = "there is no job with this id",
          .hint = "GET /v1/jobs lists them"};
}

Error no_such_circuit(const std::string& name) {
  return {.code = ErrorCode::circuit_unknown,
          .what = "no circuit is registered as " + name,
          .hint = "GET /v1/circuits lists them; penstock circuit add registers one"};
}

}  // namespace penstock::queue
