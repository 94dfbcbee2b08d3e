#include "common/runtime/health.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/unit/runtime/raw_client.hpp"

namespace penstock::runtime {
namespace {

using telemetry::Metrics;
using telemetry::Service;

HttpRequest request(std::string method, std::string path) {
  HttpRequest out;
  out.method = std::move(method);
  out.path = std::move(path);
  return out;
}

TEST(Health, names_the_check_that_fails) {
  Health health;
  bool open = true;
  health.add("ledger", [] { return Status{}; });
  health.add("device", [&]() -> Status {
    if (open) return {};
    return Error{.code = ErrorCode::device_unavailable, .what = "it does not answer"};
  });
  EXPECT_TRUE(health.report().first);
  open = false;
  const auto [ready, body] = health.report();
  EXPECT_FALSE(ready);
  const auto json = nlohmann::json::parse(body);
  EXPECT_EQ(json["ready"], false);
  EXPECT_EQ(json["checks"]["ledger"]["ok"], true);
  EXPECT_EQ(json["checks"]["device"]["ok"], false);
  EXPECT_EQ(json["checks"]["device"]["code"], "device_unavailable");
  EXPECT_EQ(json["checks"]["device"]["what"], "it does not answer");
}

TEST(Observability, answers_its_four_pages_and_no_other) {
  Health health;
  health.add("never", []() -> Status { return Error{.code = ErrorCode::draining, .what = "x"}; });
  Metrics metrics(Service::gpu, "1", "abc", "none");
  EXPECT_EQ(answer_observability(request("GET", "/healthz"), health, metrics)->status, 200);
  EXPECT_EQ(answer_observability(request("GET", "/readyz"), health, metrics)->status, 503);
  const auto scrape = answer_observability(request("GET", "/metrics"), health, metrics);
  EXPECT_EQ(scrape->content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(scrape->body, testing::HasSubstr("penstock_slabs"));
  const auto version =
      nlohmann::json::parse(answer_observability(request("HEAD", "/version"), health, metrics)->body);
  EXPECT_EQ(version["version"], build_info().version);
  EXPECT_EQ(answer_observability(request("POST", "/healthz"), health, metrics)->status, 405);
  EXPECT_FALSE(answer_observability(request("GET", "/v1/jobs"), health, metrics).has_value());
}

TEST(Observability, is_served_on_an_address) {
  const Health health;
  Metrics metrics(Service::synthesis, "1", "abc", "none");
  const auto server = start_observability("127.0.0.1:0", health, metrics).value();
  EXPECT_EQ(test::get(server->port(), "/healthz").body, "ok\n");
  EXPECT_EQ(test::get(server->port(), "/readyz").status, 200);
  EXPECT_EQ(test::get(server->port(), "/other").status, 404);
  EXPECT_EQ(start_observability("nonsense", health, metrics).error().code, ErrorCode::bad_request);
}

TEST(BuildInfo, is_never_empty) {
  EXPECT_FALSE(build_info().version.empty());
  EXPECT_FALSE(build_info().commit.empty());
  EXPECT_FALSE(build_info().cuda.empty());
}

}  // namespace
}  // namespace penstock::runtime
