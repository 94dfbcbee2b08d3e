#include "services/queue/http_api.hpp"

#include <algorithm>

#include "common/runtime/address.hpp"
#include "services/queue/json_views.hpp"

namespace penstock::queue {

namespace {

constexpr std::string_view openapi_path = "/v1/openapi.json";

std::vector<std::string_view> components_of(std::string_view path) {
  std::vector<std::string_view> components;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const auto end = std::min(path.find('/'), path.size());
    components.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return components;
}

/// The host of "HOST", "HOST:PORT", "[V6]:PORT".
std::string_view host_of(std::string_view authority) {
  if (!authority.empty() && authority.front() == '[') return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

Error unauthorized(std::string what, std::string hint) {
  return {.code = ErrorCode::unauthorized, .what = std::move(what), .hint = std::move(hint)};
}

std::string_view key_of(const runtime::HttpRequest& request) {
  constexpr std::string_view bearer = "Bearer ";
  const std::string_view authorization = request.header("authorization");
  if (authorization.substr(0, bearer.size()) == bearer) return authorization.substr(bearer.size());
  return request.header("x-api-key");
}

/// A query that means nothing is refused: nothing is accepted and ignored.
Status check_query(const runtime::HttpRequest& request, const std::vector<std::string_view>& known) {
  for (const auto& [key, value] : request.query)
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Error{.code = ErrorCode::bad_request,
                   .what = "unknown query parameter",
                   .hint = "GET /v1/openapi.json lists those of every path"};
  return {};
}

}  // namespace

const std::vector<HttpApi::Route>& HttpApi::routes() {
  static const std::vector<Route> table = {
      {"POST", {"v1", "jobs"}, &HttpApi::submit_job},
      {"GET", {"v1", "jobs"}, &HttpApi::list_jobs, {"state", "limit"}},
      {"GET", {"v1", "jobs", "{}"}, &HttpApi::get_job, {"wait"}},
      {"DELETE", {"v1", "jobs", "{}"}, &HttpApi::cancel_job},
      {"GET", {"v1", "jobs", "{}", "events"}, &HttpApi::job_events},
      {"GET", {"v1", "circuits"}, &HttpApi::list_circuits},
      {"GET", {"v1", "circuits", "{}"}, &HttpApi::get_circuit},
      {"PUT", {"v1", "circuits", "{}"}, &HttpApi::put_circuit},
      {"DELETE", {"v1", "circuits", "{}"}, &HttpApi::remove_circuit},
      {"POST", {"v1", "circuits", "{}", "preload"}, &HttpApi::preload_circuit},
      {"POST", {"v1", "circuits", "{}", "evict"}, &HttpApi::evict_circuit},
      {"GET", {"v1", "status"}, &HttpApi::get_status},
      {"GET", {"v1", "openapi.json"}, &HttpApi::get_openapi},
  };
  return table;
}

void HttpApi::handle(runtime::HttpRequest request, const ResponderPtr& responder) const {
  if (auto answer = runtime::answer_observability(request, parts_.health, parts_.metrics))
    return responder->send(std::move(*answer));
  if (request.path != openapi_path)
    if (auto refusal = admit(request)) return responder->send(std::move(*refusal));
  route(request, responder);
}

std::optional<runtime::HttpResponse> HttpApi::admit(const runtime::HttpRequest& head) const {
  const Status allowed = authorize(head);
  if (allowed.ok()) return std::nullopt;
  const bool forbidden = !parts_.keys.required();
  parts_.metrics.add("rejected_total", {{"reason", name(ErrorCode::unauthorized)}});
  HttpHeaders headers;
  if (!forbidden) headers.emplace_back("WWW-Authenticate", "Bearer realm=\"penstock\"");
  return runtime::HttpResponse{
      .status = forbidden ? 403 : 401, .body = error_json(allowed.error()), .headers = std::move(headers)};
}

Status HttpApi::authorize(const runtime::HttpRequest& request) const {
  if (parts_.keys.required()) {
    if (parts_.keys.accept(key_of(request))) return {};
    return unauthorized("the API key is missing or wrong",
                        "send it as Authorization: Bearer KEY or X-API-Key: KEY");
  }
  // Without a key the loopback address is the only fence. A web page in a browser on this machine stands
  // inside it: it is known by its Origin, or by a name of its own that leads to this address.
  const std::string_view host = request.header("host");
  if (!host.empty() && !runtime::is_loopback(host_of(host)))
    return unauthorized("without an API key only loopback names are answered",
                        "start the queue with --api-key");
  const std::string_view origin = request.header("origin");
  if (!origin.empty() && origin != "http://" + std::string(host))
    return unauthorized("requests from other sites' pages need an API key", "start the queue with --api-key");
  return {};
}

void HttpApi::route(runtime::HttpRequest& request, const ResponderPtr& responder) const {
  // The names below are views into the path: it stays in place while the handler reads the request.
  const std::string path = request.path;
  const auto components = components_of(path);
  const std::string_view method =
      request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
  std::string allowed;
  for (const Route& route : routes()) {
    std::vector<std::string_view> names;
    const bool matches = std::equal(route.path.begin(), route.path.end(), components.begin(),
                                    components.end(), [&](std::string_view expected, std::string_view given) {
                                      if (expected != "{}") return expected == given;
                                      names.push_back(given);
                                      return !given.empty();
                                    });
    if (!matches) continue;
    if (route.method == method) {
      if (const Status known = check_query(request, route.query); !known.ok())
        return parts_.answers.refuse(responder, known.error());
      return (this->*route.handler)(request, names, responder);
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  if (allowed.empty())
    return Answers::tell(responder, Error{.code = ErrorCode::not_found,
                                          .what = "there is nothing at this path",
                                          .hint = "GET /v1/openapi.json describes the API"});
  responder->send({.status = 405,
                   .body = error_json(
                       Error{.code = ErrorCode::bad_request, .what = "this path does not take this method"}),
                   .headers = {{"Allow", allowed}}});
}

}  // namespace penstock::queue
