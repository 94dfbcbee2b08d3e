#include "tests/unit/queue/service_rig.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include <fstream>
#include <sstream>

namespace penstock::queue::test {

using namespace std::chrono_literals;

std::string vector_bytes(const std::string& relative) {
  std::ifstream file(std::string(PENSTOCK_TEST_VECTORS) + "/" + relative, std::ios::binary);
  EXPECT_TRUE(file) << relative;
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds patience) {
  for (const auto until = std::chrono::steady_clock::now() + patience;
       std::chrono::steady_clock::now() < until;) {
    if (holds()) return true;
    std::this_thread::sleep_for(5ms);  // a poll of another thread's state, bounded by `patience`
  }
  return holds();
}

ServiceRig::ServiceRig()
    : log_(std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>())) {
  settings_.http = "127.0.0.1:0";
  settings_.bind = "inproc://queue-" + random_uuid();
  settings_.data = (scratch_.path() / "queue").string();
  settings_.circuits = (scratch_.path() / "circuits").string();
  settings_.heartbeat_interval = 50ms;
  settings_.heartbeat_timeout = 2000ms;  // a loaded machine starves threads for a while
  settings_.lease_timeout = 4000ms;
  settings_.drain_timeout = 5000ms;
}

ServiceRig::~ServiceRig() {
  synthesis_.reset();
  gpu_.reset();
  abandon();
}

void ServiceRig::start() {
  auto started = QueueService::start(settings_, {context_, clock_, *log_});
  ASSERT_TRUE(started.ok()) << to_string(started.error());
  service_ = std::move(started).value();
  thread_ = std::thread([this] { service_->run(); });
}

void ServiceRig::stop() {
  if (!service_) return;
  service_->drain();
  thread_.join();
  service_.reset();
}

void ServiceRig::abandon() {
  if (!service_) return;
  service_->abort();
  thread_.join();
  service_.reset();
}

void ServiceRig::join_workers(std::uint32_t credits) {
  gpu_ = std::make_unique<FakeGpu>(context_,
                                   FakeWorker::Options{.queue_address = settings_.bind, .name = "gpu"});
  synthesis_ = std::make_unique<FakeSynthesis>(
      context_, FakeWorker::Options{.queue_address = settings_.bind, .name = "synthesis", .credits = credits},
      std::vector<FakeGpu*>{gpu_.get()});
  ASSERT_TRUE(eventually([&] { return get("/v1/status").body["workers"].size() == 2; }));
}

httplib::Client ServiceRig::client() const {
  httplib::Client client("127.0.0.1", service_->http_port());
  client.set_read_timeout(90);
  return client;
}

namespace {
Answer answer_of(const httplib::Result& result) {
  EXPECT_TRUE(result) << httplib::to_string(result.error());
  if (!result) return {};
  return {.status = result->status,
          .body = json::parse(result->body, nullptr, false),
          .headers = result->headers};
}
}  // namespace

Answer ServiceRig::get(const std::string& path, const httplib::Headers& headers) const {
  return answer_of(client().Get(path, headers));
}
Answer ServiceRig::remove(const std::string& path) const {
  return answer_of(client().Delete(path));
}
Answer ServiceRig::post(const std::string& path) const {
  return answer_of(client().Post(path));
}
Answer ServiceRig::post_form(const std::string& path, const httplib::MultipartFormDataItems& parts,
                             const httplib::Headers& headers) const {
  return answer_of(client().Post(path, headers, parts));
}
Answer ServiceRig::put_form(const std::string& path, const httplib::MultipartFormDataItems& parts) const {
  return answer_of(client().Put(path, httplib::Headers{}, parts));
}

Answer ServiceRig::put_circuit(const std::string& vector, const std::string& name) {
  return put_form(
      "/v1/circuits/" + (name.empty() ? vector : name),
      {{"zkey", vector_bytes("bn254/" + vector + ".zkey"), "key.zkey", "application/octet-stream"},
       {"wasm", vector_bytes("bn254/" + vector + ".wasm"), "c.wasm", "application/wasm"}});
}

Answer ServiceRig::submit(const std::vector<std::string>& inputs, const json& job,
                          const httplib::Headers& headers) const {
  httplib::MultipartFormDataItems parts = {{"job", job.dump(), "", "application/json"}};
  for (const std::string& input : inputs) parts.push_back({"input", input, "input.json", "application/json"});
  return post_form("/v1/jobs", parts, headers);
}

std::string ServiceRig::submit_id(const std::vector<std::string>& inputs, const json& job) const {
  const Answer answer = submit(inputs, job);
  EXPECT_EQ(answer.status, 202) << answer.body;
  return answer.body.value("id", "");
}

json ServiceRig::wait_for(const std::string& job) const {
  const Answer answer = get("/v1/jobs/" + job + "?wait=30s");
  EXPECT_EQ(answer.status, 200);
  return answer.body;
}

std::size_t ServiceRig::inputs_on_disk() const {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(scratch_.path() / "queue/blobs"))
    ++count;
  return count;
}

double ServiceRig::metric(const std::string& line_start) const {
  const auto result = client().Get("/metrics");
  EXPECT_TRUE(result && result->status == 200);
  std::istringstream lines(result ? result->body : "");
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(line_start, 0) == 0) return std::stod(line.substr(line.rfind(' ')));
  return -1;
}

}  // namespace penstock::queue::test
