// What the API refuses, and when: before a body is read, in every query, when a setting has changed.
#include <spdlog/logger.h>

#include <cstring>

#include "common/circuit/zkey_layout.hpp"
#include "tests/unit/queue/service_rig.hpp"
#include "tests/unit/runtime/raw_client.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;
using runtime::test::RawClient;

class ServiceRefusals : public ServiceRig {
 protected:
  /// The status of a request whose body never comes.
  int status_without_body(const std::string& line, const std::string& headers) {
    RawClient client(service_->http_port());
    client.send(line + " HTTP/1.1\r\n" + headers + "Content-Length: 400000\r\n\r\n");
    return client.read_response().status;
  }
};

// Fault: a stranger's body was read before its key was looked at, in the room that all uploads share.
TEST_F(ServiceRefusals, a_stranger_is_refused_before_the_body_whatever_the_path) {
  settings_.api_key = "a-key-of-sufficient-length";
  start();
  for (const char* line :
       {"POST /v1/jobs", "PUT /v1/circuits/c", "GET /v1/openapi.json", "GET /healthz", "POST /nothing"}) {
    EXPECT_EQ(status_without_body(line, "Host: localhost\r\n"), 401) << line;
    EXPECT_EQ(status_without_body(line, "Host: localhost\r\nX-API-Key: wrong\r\n"), 401) << line;
  }
  EXPECT_EQ(metric("penstock_rejected_total{reason=\"unauthorized\"}"), 10);
  EXPECT_EQ(get("/v1/openapi.json").status, 200);
}

TEST_F(ServiceRefusals, without_a_key_a_strange_page_is_refused_before_its_body) {
  start();
  EXPECT_EQ(status_without_body("POST /v1/jobs", "Host: attacker.example\r\n"), 403);
  EXPECT_EQ(status_without_body("PUT /v1/circuits/c", "Host: localhost\r\nOrigin: https://a.example\r\n"),
            403);
}

// Fault: ten of thirteen routes ignored what they did not understand.
TEST_F(ServiceRefusals, every_route_refuses_a_query_that_it_does_not_understand) {
  start();
  const json document = get("/v1/openapi.json").body;
  int asked = 0;
  for (const auto& [path, methods] : document["paths"].items()) {
    if (path.rfind("/v1/", 0) != 0) continue;
    for (const auto& [method, operation] : methods.items()) {
      if (method == "parameters") continue;
      httplib::Request request;
      request.method = method;
      std::transform(request.method.begin(), request.method.end(), request.method.begin(), ::toupper);
      request.path = path;
      for (const char* variable : {"{id}", "{name}"})
        if (const auto at = request.path.find(variable); at != std::string::npos)
          request.path.replace(at, std::strlen(variable), "x");
      request.path += "?colour=red";
      const auto result = client().send(request);
      ASSERT_TRUE(result) << method << path;
      EXPECT_EQ(result->status, 400) << method << path;
      EXPECT_NE(result->body.find("unknown query parameter"), std::string::npos) << method << path;
      ++asked;
    }
  }
  EXPECT_EQ(asked, 13);
}

TEST_F(ServiceRefusals, a_wait_that_would_be_cut_short_is_refused) {
  start();
  EXPECT_EQ(get("/v1/jobs/unknown?wait=60s").status, 404);
  for (const char* wait : {"61s", "5m", "60001ms"})
    EXPECT_EQ(get("/v1/jobs/unknown?wait=" + std::string(wait)).status, 400) << wait;
}

TEST_F(ServiceRefusals, a_document_with_a_path_is_small) {
  settings_.import = (scratch_.path() / "import").string();
  start();
  const auto put = [&](std::size_t size) {
    const std::string body = R"({"path":")" + std::string(size, 'x') + R"("})";
    return client().Put("/v1/circuits/c", body, "application/json")->status;
  };
  EXPECT_EQ(put(100'000), 413);
  EXPECT_NE(put(1000), 413);
}

/// The same key, marked as `setup --insecure-dev` marks its own: at the start of section 10.
std::string insecure_copy(std::string zkey) {
  constexpr std::size_t header_bytes = 12;
  for (std::size_t at = header_bytes; at + header_bytes <= zkey.size();) {
    std::uint32_t type = 0;
    std::uint64_t size = 0;
    std::memcpy(&type, zkey.data() + at, sizeof type);
    std::memcpy(&size, zkey.data() + at + sizeof type, sizeof size);
    at += header_bytes;
    const auto mark = circuit::zkey::insecure_dev_mark;
    if (type == 10) return zkey.replace(at, mark.size(), mark);
    at += size;
  }
  ADD_FAILURE() << "the key has no section 10";
  return zkey;
}

// Fault: an insecure circuit took jobs for ever, once it had been registered.
TEST_F(ServiceRefusals, a_development_key_takes_no_jobs_once_the_queue_forbids_them) {
  settings_.allow_insecure_keys = true;
  start();
  const std::string zkey = insecure_copy(vector_bytes("bn254/mul.zkey"));
  const Answer added = put_form("/v1/circuits/dev", {{"zkey", zkey, "k", ""}});
  ASSERT_EQ(added.status, 201) << added.body;
  ASSERT_EQ(added.body["insecure_dev"], true);
  const httplib::MultipartFormDataItems parts = {{"job", R"({"circuit":"dev"})", "", ""},
                                                 {"witness", vector_bytes("bn254/mul.wtns"), "w", ""}};
  EXPECT_EQ(post_form("/v1/jobs", parts).status, 202);
  stop();
  settings_.allow_insecure_keys = false;
  start();
  const Answer refused = post_form("/v1/jobs", parts);
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.body["code"], "insecure_key");
  EXPECT_EQ(get("/v1/jobs").body["jobs"].size(), 1u);
}

}  // namespace
}  // namespace penstock::queue::test
