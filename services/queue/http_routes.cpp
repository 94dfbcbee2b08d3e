// The handlers of the HTTP API's routes: they read the request and hand it to a desk.
#include <charconv>
#include <nlohmann/json.hpp>

#include "services/queue/http_api.hpp"
#include "services/queue/multipart.hpp"

namespace penstock::queue {

namespace {

constexpr std::uint32_t most_listed = 1000;
constexpr std::size_t max_path_document_bytes = 65536;

Error bad(std::string what, std::string hint = {}) {
  return {.code = ErrorCode::bad_request, .what = std::move(what), .hint = std::move(hint)};
}

Result<std::chrono::milliseconds> read_wait(const runtime::HttpRequest& request) {
  const std::string_view text = request.query_value("wait");
  if (text.empty()) return std::chrono::milliseconds(0);
  const auto wait = parse_duration(text);
  if (!wait || *wait > longest_wait)
    return bad("`wait` is not a duration of at most 60 s", "for example wait=30s; ask again after it");
  return *wait;
}

Result<JobFilter> read_filter(const runtime::HttpRequest& request) {
  JobFilter filter;
  if (const std::string_view state = request.query_value("state"); !state.empty()) {
    filter.state = job_state_from(state);
    if (!filter.state) return bad("`state` is not queued, running, done, failed or cancelled");
  }
  if (const std::string_view limit = request.query_value("limit"); !limit.empty()) {
    const auto [end, failed] = std::from_chars(limit.data(), limit.data() + limit.size(), filter.limit);
    if (failed != std::errc() || end != limit.data() + limit.size() || filter.limit == 0 ||
        filter.limit > most_listed)
      return bad("`limit` is not a number from 1 to 1000");
  }
  return filter;
}

Result<std::shared_ptr<Submission>> read_submission(runtime::HttpRequest& request, IntakeBudget& intake,
                                                    std::size_t max_partitions, WallMillis now) {
  auto room = PENSTOCK_TRY(intake.take(request.body.size()));
  auto submission = std::make_shared<Submission>(std::move(request.body), std::move(room));
  const std::string_view key = request.header("idempotency-key");
  if (!key.empty() && !is_idempotency_key(key))
    return bad("the Idempotency-Key is not 1 to 255 printable characters");
  submission->idempotency_key = key;
  const auto parts = PENSTOCK_TRY(parse_multipart(request.header("content-type"), submission->body.view(),
                                                  {.max_parts = max_partitions + 1}));
  submission->request = PENSTOCK_TRY(parse_job_request(parts, now));
  return submission;
}

Result<CircuitSources> read_circuit_parts(std::string_view content_type, std::string_view body) {
  CircuitSources sources;
  for (const Part& part : PENSTOCK_TRY(parse_multipart(content_type, body, {.max_parts = 8}))) {
    std::optional<CircuitFile>* slot = part.name == "zkey"   ? &sources.zkey
                                       : part.name == "wasm" ? &sources.wasm
                                       : part.name == "r1cs" ? &sources.r1cs
                                       : part.name == "sym"  ? &sources.sym
                                       : part.name == "vk"   ? &sources.vk
                                                             : nullptr;
    if (!slot) return bad("a part has an unknown name", "known are zkey, wasm, r1cs, sym and vk");
    if (*slot) return bad("two parts have one name");
    *slot = CircuitFile{.content = part.content, .path = {}};
  }
  return sources;
}

Result<std::string> read_import_path(std::string_view body) {
  if (body.size() > max_path_document_bytes)
    return Error{.code = ErrorCode::body_too_large,
                 .what = "the document with the path is longer than 64 KiB"};
  const auto document = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || document.size() != 1 || !document.contains("path") ||
      !document["path"].is_string())
    return bad("the body is neither multipart nor {\"path\": \"...\"}");
  return document["path"].get<std::string>();
}

}  // namespace

void HttpApi::submit_job(runtime::HttpRequest& request, Names /*names*/,
                         const ResponderPtr& responder) const {
  const SteadyTime received = parts_.clock.steady_now();
  const auto submission =
      read_submission(request, parts_.intake, parts_.max_partitions, to_millis(parts_.clock.wall_now()));
  if (!submission.ok()) return parts_.answers.refuse(responder, submission.error());
  (*submission)->received = received;
  (*submission)->responder = responder;
  parts_.jobs.submit(*submission);
}

void HttpApi::list_jobs(runtime::HttpRequest& request, Names /*names*/, const ResponderPtr& responder) const {
  const auto filter = read_filter(request);
  if (!filter.ok()) return parts_.answers.refuse(responder, filter.error());
  parts_.jobs.list(*filter, responder);
}

void HttpApi::get_job(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const {
  const auto wait = read_wait(request);
  if (!wait.ok()) return parts_.answers.refuse(responder, wait.error());
  parts_.jobs.get(JobId(std::string(names[0])), *wait, responder);
}

void HttpApi::cancel_job(runtime::HttpRequest& /*request*/, Names names,
                         const ResponderPtr& responder) const {
  parts_.jobs.cancel(JobId(std::string(names[0])), responder);
}

void HttpApi::job_events(runtime::HttpRequest& /*request*/, Names names,
                         const ResponderPtr& responder) const {
  parts_.jobs.events(JobId(std::string(names[0])), responder);
}

void HttpApi::list_circuits(runtime::HttpRequest& /*request*/, Names /*names*/,
                            const ResponderPtr& responder) const {
  parts_.circuits.list(responder);
}

void HttpApi::get_circuit(runtime::HttpRequest& /*request*/, Names names,
                          const ResponderPtr& responder) const {
  parts_.circuits.get(std::string(names[0]), responder);
}

void HttpApi::put_circuit(runtime::HttpRequest& request, Names names, const ResponderPtr& responder) const {
  const std::string name(names[0]);
  if (!is_safe_name(name))
    return parts_.answers.refuse(responder, bad("this is not a circuit's name",
                                                "1 to 64 letters, digits, '_', '-' or '.', not first a dot"));
  if (request.header("content-type").substr(0, 16) == "application/json") {
    const auto path = read_import_path(request.body);
    if (!path.ok()) return parts_.answers.refuse(responder, path.error());
    return parts_.circuits.put_path(name, *path, responder);
  }
  auto room = parts_.intake.take(request.body.size());
  if (!room.ok()) return parts_.answers.refuse(responder, room.error());
  const auto body = std::make_shared<SecretBody>(std::move(request.body), std::move(room).value());
  const auto sources = read_circuit_parts(request.header("content-type"), body->view());
  if (!sources.ok()) return parts_.answers.refuse(responder, sources.error());
  parts_.circuits.put(name, *sources, body, responder);
}

void HttpApi::remove_circuit(runtime::HttpRequest& /*request*/, Names names,
                             const ResponderPtr& responder) const {
  parts_.circuits.remove(std::string(names[0]), responder);
}

void HttpApi::preload_circuit(runtime::HttpRequest& /*request*/, Names names,
                              const ResponderPtr& responder) const {
  parts_.circuits.preload(std::string(names[0]), responder);
}

void HttpApi::evict_circuit(runtime::HttpRequest& /*request*/, Names names,
                            const ResponderPtr& responder) const {
  parts_.circuits.evict(std::string(names[0]), responder);
}

void HttpApi::get_status(runtime::HttpRequest& /*request*/, Names /*names*/,
                         const ResponderPtr& responder) const {
  parts_.status(responder);
}

void HttpApi::get_openapi(runtime::HttpRequest& /*request*/, Names /*names*/,
                          const ResponderPtr& responder) const {
  responder->send({.status = 200, .body = std::string(openapi_document())});
}

}  // namespace penstock::queue
