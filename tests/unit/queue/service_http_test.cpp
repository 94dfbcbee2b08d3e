// The HTTP API towards strangers: keys, limits, malformed requests, circuits, many waiting clients.
#include <spdlog/logger.h>

#include "services/queue/http_api.hpp"
#include "tests/unit/queue/service_rig.hpp"
#include "tests/unit/runtime/raw_client.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;

class ServiceHttp : public ServiceRig {};

TEST_F(ServiceHttp, a_key_is_asked_for_by_everything_but_health_and_the_document) {
  settings_.api_key = "a-key-of-sufficient-length";
  start();
  const Answer anonymous = get("/v1/jobs");
  EXPECT_EQ(anonymous.status, 401);
  EXPECT_EQ(anonymous.body["code"], "unauthorized");
  EXPECT_EQ(anonymous.headers.count("WWW-Authenticate"), 1u);
  EXPECT_EQ(get("/v1/jobs", {{"Authorization", "Bearer a-key-of-sufficient-length"}}).status, 200);
  EXPECT_EQ(get("/v1/jobs", {{"X-API-Key", "a-key-of-sufficient-length"}}).status, 200);
  for (const char* wrong : {"", "a-key-of-sufficient-lengtH", "a-key-of-sufficient-length2"}) {
    EXPECT_EQ(get("/v1/jobs", {{"X-API-Key", wrong}}).status, 401) << wrong;
    EXPECT_EQ(get("/v1/nothing", {{"Authorization", std::string("Bearer ") + wrong}}).status, 401) << wrong;
  }
  for (const char* open : {"/healthz", "/readyz", "/metrics", "/version", "/v1/openapi.json"})
    EXPECT_EQ(get(open).status, 200) << open;
  EXPECT_GE(metric("penstock_rejected_total{reason=\"unauthorized\"}"), 7);
}

TEST_F(ServiceHttp, without_a_key_only_this_machine_is_answered_and_no_strange_web_page) {
  start();
  EXPECT_EQ(get("/v1/jobs", {{"Host", "localhost:7780"}}).status, 200);
  EXPECT_EQ(get("/v1/jobs", {{"Host", "attacker.example"}}).status, 403);
  EXPECT_EQ(get("/v1/jobs", {{"Origin", "https://attacker.example"}}).status, 403);
  EXPECT_EQ(get("/v1/jobs", {{"Host", "127.0.0.1:80"}, {"Origin", "http://127.0.0.1:80"}}).status, 200);
}

TEST_F(ServiceHttp, a_bind_beyond_loopback_without_a_key_does_not_start) {
  settings_.http = "0.0.0.0:0";
  const auto started = QueueService::start(settings_, {context_, clock_, *log_});
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, ErrorCode::bad_request);
}

TEST_F(ServiceHttp, a_second_queue_on_the_same_ledger_does_not_start) {
  start();
  Settings second = settings_;
  second.bind += "-2";
  const auto started = QueueService::start(second, {context_, clock_, *log_});
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, ErrorCode::conflict);
}

TEST_F(ServiceHttp, paths_and_methods_that_do_not_exist_are_named) {
  start();
  for (const char* path :
       {"/", "/v1", "/v1/", "/v2/jobs", "/v1/jobs/", "/v1/jobs/x/y", "/v1/circuits/a/load"})
    EXPECT_EQ(get(path).status, 404) << path;
  EXPECT_EQ(get("/v1/jobs/unknown").body["code"], "not_found");
  EXPECT_EQ(get("/v1/jobs/unknown?wait=1s").status, 404);
  EXPECT_EQ(get("/v1/jobs/unknown/events").status, 404);
  EXPECT_EQ(get("/v1/circuits/unknown").body["code"], "circuit_unknown");
  const Answer wrong = remove("/v1/jobs");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.find("Allow")->second, "POST, GET");
  EXPECT_EQ(get("/v1/jobs/x?wait=soon").status, 400);
}

TEST_F(ServiceHttp, malformed_submissions_are_refused_by_name_and_leave_nothing) {
  start();
  ASSERT_EQ(put_circuit("mul").status, 201);
  const auto code = [&](const Answer& answer) {
    return std::to_string(answer.status) + " " + answer.body.value("code", "");
  };
  EXPECT_EQ(code(submit({"{}"}, {{"circuit", "nobody"}})), "404 circuit_unknown");
  EXPECT_EQ(code(submit({}, {{"circuit", "mul"}})), "400 bad_request");
  EXPECT_EQ(code(submit({"{"}, {{"circuit", "mul"}})), "400 bad_format");
  EXPECT_EQ(code(submit({"{}"}, {{"circuit", "mul"}, {"webhook", "https://example.org"}})),
            "400 bad_request");
  EXPECT_EQ(code(submit({"{}"}, {{"circuit", "mul"}, {"deadline", "2001-01-01T00:00:00Z"}})), "400 deadline");
  EXPECT_EQ(code(post_form("/v1/jobs", {{"job", R"({"circuit":"mul"})", "", ""},
                                        {"witness", vector_bytes("bn254/chain.wtns"), "w", ""}})),
            "400 size_mismatch");
  auto raw = client();
  const auto send = [&](const std::string& body, const std::string& type) {
    const auto result = raw.Post("/v1/jobs", body, type);
    return result ? result->status : 0;
  };
  EXPECT_EQ(send("{}", "application/json"), 400);
  EXPECT_EQ(send("", "multipart/form-data; boundary=b"), 400);
  EXPECT_EQ(
      send("--b\r\nContent-Disposition: form-data; name=job\r\n\r\n{}", "multipart/form-data; boundary=b"),
      400);
  EXPECT_EQ(inputs_on_disk(), 0u);
  EXPECT_EQ(get("/v1/jobs").body["jobs"].size(), 0u);
  EXPECT_GE(metric("penstock_rejected_total{reason=\"bad_request\"}"), 4);
}

TEST_F(ServiceHttp, too_much_is_413_and_a_full_queue_is_429_with_a_time) {
  settings_.max_body = 64 << 10;
  settings_.max_queued_partitions = 5;
  settings_.max_partitions = 8;
  start();
  ASSERT_EQ(put_circuit("mul").status, 201);
  EXPECT_EQ(submit({"{\"a\":\"" + std::string(70'000, '1') + "\"}"}).status, 413);
  EXPECT_EQ(submit(std::vector<std::string>(9, "{}")).status, 413);
  EXPECT_EQ(submit(std::vector<std::string>(6, "{}")).status, 413) << "it would never fit";
  EXPECT_EQ(submit(std::vector<std::string>(3, "{}")).status, 202);
  const Answer full = submit(std::vector<std::string>(3, "{}"));
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(full.body["code"], "overloaded");
  EXPECT_GE(std::stoi(full.headers.find("Retry-After")->second), 1);
  EXPECT_EQ(submit(std::vector<std::string>(2, "{}")).status, 202);
  EXPECT_EQ(metric("penstock_rejected_total{reason=\"overloaded\"}"), 1);
}

TEST_F(ServiceHttp, circuits_are_registered_shown_and_removed) {
  start();
  const Answer created = put_circuit("mul", "m");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.body["curve"], "bn254");
  EXPECT_EQ(created.body["variables"], 4);
  EXPECT_EQ(put_circuit("mul", "m").status, 200) << "the same again is no change";
  const Answer other = put_circuit("chain", "m");
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(put_circuit("mul", "alias").body["id"], created.body["id"]);
  EXPECT_EQ(get("/v1/circuits").body["circuits"].size(), 2u);
  const json shown = get("/v1/circuits/m").body;
  EXPECT_EQ(shown["verification_key"]["protocol"], "groth16");
  EXPECT_EQ(shown["verification_key"]["IC"].size(), 2u);
  const auto folder = scratch_.path() / "circuits" / created.body["id"].get<std::string>();
  EXPECT_EQ(remove("/v1/circuits/m").status, 204);
  EXPECT_TRUE(std::filesystem::exists(folder)) << "the alias still needs it";
  EXPECT_EQ(remove("/v1/circuits/m").status, 404);
  const std::string job = submit_id({"{}"}, {{"circuit", "alias"}});
  EXPECT_EQ(remove("/v1/circuits/alias").status, 409) << "a job needs it";
  remove("/v1/jobs/" + job);
  EXPECT_EQ(remove("/v1/circuits/alias").status, 204);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(ServiceHttp, refused_circuits_leave_nothing) {
  start();
  const auto put = [&](const std::string& zkey, const std::string& name = "c") {
    return put_form("/v1/circuits/" + name, {{"zkey", vector_bytes("bn254/" + zkey), "k", ""}});
  };
  EXPECT_EQ(put("f_offcurveA.zkey").body["code"], "point_off_curve");
  EXPECT_EQ(put("f_trunc.zkey").status, 400);
  EXPECT_EQ(put("mul.zkey", ".hidden").status, 400);
  EXPECT_EQ(put("mul.zkey", std::string(65, 'a')).status, 400);
  EXPECT_EQ(put_form("/v1/circuits/c", {{"zkey", "x", "", ""}, {"zkey", "x", "", ""}}).status, 400);
  EXPECT_EQ(put_form("/v1/circuits/c", {{"key", "x", "", ""}}).status, 400);
  const Answer mismatch = put_form("/v1/circuits/c", {{"zkey", vector_bytes("bn254/mul.zkey"), "", ""},
                                                      {"vk", vector_bytes("bn254/chain.vk.json"), "", ""}});
  EXPECT_EQ(mismatch.status, 422);
  EXPECT_EQ(mismatch.body["code"], "key_mismatch");
  EXPECT_TRUE(get("/v1/circuits").body["circuits"].empty());
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path() / "circuits"));
}

TEST_F(ServiceHttp, a_circuit_is_registered_by_path_below_the_import_folder_only) {
  const auto put = [&](const std::string& body) {
    return client().Put("/v1/circuits/c", body, "application/json")->status;
  };
  start();
  EXPECT_EQ(put(R"({"path":"mul"})"), 400) << "it is off by default";
  stop();
  settings_.import = (scratch_.path() / "import").string();
  std::filesystem::create_directories(scratch_.path() / "import/mul");
  std::filesystem::copy_file(std::string(PENSTOCK_TEST_VECTORS) + "/bn254/mul.zkey",
                             scratch_.path() / "import/mul/a.zkey");
  start();
  EXPECT_EQ(put(R"({"path":"../circuits"})"), 404);
  EXPECT_EQ(put(R"({"path":"mul","more":1})"), 400);
  EXPECT_EQ(put(R"(["mul"])"), 400);
  EXPECT_EQ(put(R"({"path":"mul"})"), 201);
}

TEST_F(ServiceHttp, circuits_survive_a_restart_and_reach_workers) {
  start();
  ASSERT_EQ(put_circuit("mul").status, 201);
  stop();
  start();
  EXPECT_EQ(get("/v1/circuits").body["circuits"].size(), 1u);
  EXPECT_EQ(post("/v1/circuits/mul/preload").status, 503) << "no GPU service is there";
  join_workers();
  EXPECT_TRUE(eventually([&] {
    for (const wire::Message& message : gpu_->received())
      if (const auto* welcome = std::get_if<wire::Welcome>(&message)) return welcome->circuits.size() == 1;
    return false;
  }));
  ASSERT_EQ(put_circuit("chain").status, 201);
  EXPECT_TRUE(eventually([&] {
    return gpu_->count<wire::CircuitOffer>() == 1 && synthesis_->count<wire::CircuitOffer>() == 1;
  }));
  const Answer preload = post("/v1/circuits/chain/preload");
  EXPECT_EQ(preload.status, 202);
  EXPECT_EQ(preload.body["gpus"], 1);
  EXPECT_EQ(post("/v1/circuits/chain/evict").status, 202);
  EXPECT_EQ(post("/v1/circuits/nobody/evict").status, 404);
  EXPECT_EQ(remove("/v1/circuits/chain").status, 204);
  EXPECT_TRUE(eventually([&] { return gpu_->count<wire::CircuitWithdrawn>() == 2; }));
}

TEST_F(ServiceHttp, status_names_workers_credits_depths_and_rates) {
  start();
  join_workers(3);
  const json status = get("/v1/status").body;
  EXPECT_EQ(status["queue"]["name"], "queue");
  EXPECT_EQ(status["credits"]["synthesis"]["free"], 3);
  EXPECT_EQ(status["workers"][0]["name"], "gpu");
  EXPECT_EQ(status["workers"][0]["device"], "cpu");
  EXPECT_EQ(status["workers"][1]["kind"], "synthesis");
  EXPECT_EQ(status["depth"]["queued"], 0);
  EXPECT_TRUE(status["rates"].contains("proved_per_second"));
}

TEST_F(ServiceHttp, the_document_describes_routes_that_exist) {
  start();
  const json document = get("/v1/openapi.json").body;
  ASSERT_TRUE(document.is_object());
  int operations = 0;
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      if (method == "parameters") continue;
      ++operations;
      std::string real = path;
      for (const char* variable : {"{id}", "{name}"})
        if (const auto at = real.find(variable); at != std::string::npos)
          real.replace(at, std::strlen(variable), "x");
      httplib::Request request;
      request.method = method;
      std::transform(request.method.begin(), request.method.end(), request.method.begin(), ::toupper);
      request.path = real;
      const auto result = client().send(request);
      ASSERT_TRUE(result) << method << path;
      EXPECT_NE(result->status, 405) << method << path;
      EXPECT_EQ(result->body.find("there is nothing at this path"), std::string::npos) << method << path;
      EXPECT_TRUE(operation["responses"].contains(std::to_string(result->status)))
          << method << path << result->status;
    }
  }
  EXPECT_EQ(operations, 17);
}

TEST_F(ServiceHttp, workers_that_do_not_fit_are_refused_by_name) {
  start();
  wire::MessageLoop loop(context_);
  std::vector<wire::Message> answers;
  auto socket = loop.connect_dealer(settings_.bind, "w/1", [&](wire::Message message) {
    answers.push_back(std::move(message));
    loop.stop();
  });
  wire::Hello hello;
  hello.name = WorkerName("w");
  hello.incarnation = Incarnation("1");
  hello.protocol = 99;
  ASSERT_TRUE((*socket)->send(hello).ok());
  loop.run();
  ASSERT_EQ(answers.size(), 1u);
  ASSERT_TRUE(std::holds_alternative<wire::Refused>(answers[0]));
  EXPECT_EQ(std::get<wire::Refused>(answers[0]).error.code, ErrorCode::unsupported_version);
  hello.protocol = wire::protocol_version;
  hello.name = WorkerName("somebody-else");  // not the routing id's
  ASSERT_TRUE((*socket)->send(hello).ok());
  loop.run();
  EXPECT_EQ(std::get<wire::Refused>(answers.at(1)).error.code, ErrorCode::bad_request);
}

// Faults 6 and 14: waiting clients must not stall health, status or submission.
TEST_F(ServiceHttp, three_hundred_long_polls_wait_while_everything_else_answers) {
  start();
  ASSERT_EQ(put_circuit("mul").status, 201);
  const std::string id = submit_id({R"({"a":"1"})"});
  const std::string request =
      "GET /v1/jobs/" + id + "?wait=60s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  std::vector<runtime::test::RawClient> clients;
  for (int i = 0; i < 300; ++i) {
    clients.emplace_back(service_->http_port());
    clients.back().send(request);
  }
  std::chrono::steady_clock::duration slowest{};
  for (int i = 0; i < 20; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(get("/healthz").status, 200);
    EXPECT_EQ(get("/v1/status").status, 200);
    slowest = std::max(slowest, std::chrono::steady_clock::now() - begun);
  }
  EXPECT_LT(slowest, 1s);
  RecordProperty("slowest_ms",
                 static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(slowest).count()));
  join_workers();
  for (auto& one : clients) EXPECT_NE(one.read_to_end().find("\"state\":\"done\""), std::string::npos);
}

}  // namespace
}  // namespace penstock::queue::test
