#include "common/runtime/health.hpp"

#include <nlohmann/json.hpp>

#include "common/runtime/address.hpp"
#include "common/runtime/http_text.hpp"

namespace penstock::runtime {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

HttpResponse plain(std::string body, std::string content_type) {
  HttpResponse out;
  out.content_type = std::move(content_type);
  out.body = std::move(body);
  return out;
}

HttpResponse readiness(const Health& health) {
  auto [ready, body] = health.report();
  HttpResponse out;
  out.status = ready ? 200 : 503;
  out.body = std::move(body);
  return out;
}

HttpResponse version() {
  const BuildInfo build = build_info();
  HttpResponse out;
  out.body = text_of(Json{{"version", build.version}, {"commit", build.commit}, {"cuda", build.cuda}});
  return out;
}

}  // namespace

void Health::add(std::string name, Check check) {
  checks_.emplace_back(std::move(name), std::move(check));
}

std::pair<bool, std::string> Health::report() const {
  bool ready = true;
  Json checks = Json::object();
  for (const auto& [name, check] : checks_) {
    const Status status = check();
    ready = ready && status.ok();
    Json one = {{"ok", status.ok()}};
    if (!status.ok()) {
      one["code"] = penstock::name(status.error().code);
      one["what"] = status.error().what;
    }
    checks[name] = std::move(one);
  }
  return {ready, text_of(Json{{"ready", ready}, {"checks", std::move(checks)}})};
}

std::optional<HttpResponse> answer_observability(const HttpRequest& request, const Health& health,
                                                 telemetry::Metrics& metrics) {
  const bool known = request.path == "/healthz" || request.path == "/readyz" || request.path == "/metrics" ||
                     request.path == "/version";
  if (!known) return std::nullopt;
  if (request.method != "GET" && request.method != "HEAD") {
    auto refusal = error_response(405, ErrorCode::bad_request, "only GET and HEAD are answered here");
    refusal.headers.emplace_back("Allow", "GET, HEAD");
    return refusal;
  }
  if (request.path == "/healthz") return plain("ok\n", "text/plain; charset=utf-8");
  if (request.path == "/metrics") return plain(metrics.text(), "text/plain; version=0.0.4; charset=utf-8");
  return request.path == "/readyz" ? readiness(health) : version();
}

Result<std::unique_ptr<HttpServer>> start_observability(const std::string& address_port, const Health& health,
                                                        telemetry::Metrics& metrics) {
  const AddressPort address = PENSTOCK_TRY(parse_address_port(address_port));
  HttpServerOptions options;
  options.address = address.address;
  options.port = address.port;
  options.max_body_bytes = 1024;
  options.max_connections = 128;
  return HttpServer::start(
      options, [&health, &metrics](const HttpRequest& request, const std::shared_ptr<Responder>& responder) {
        auto answer = answer_observability(request, health, metrics);
        responder->send(answer ? std::move(*answer)
                               : error_response(404, ErrorCode::not_found, "there is no such page"));
      });
}

}  // namespace penstock::runtime
