// Jobs from end to end: the real service, its HTTP API, fake workers.
#include <spdlog/logger.h>

#include <future>

#include "tests/unit/queue/service_rig.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;

class ServiceJobs : public ServiceRig {
 protected:
  void SetUp() override {
    start();
    ASSERT_EQ(put_circuit("mul").status, 201);
  }
  std::string state(const std::string& job) { return get("/v1/jobs/" + job).body.value("state", ""); }
};

TEST_F(ServiceJobs, a_job_comes_back_with_its_own_publics_proofs_and_phases) {
  join_workers();
  const Answer accepted = submit({R"({"a":"3","b":"11"})", R"({"a":"5","b":"7"})"});
  ASSERT_EQ(accepted.status, 202) << accepted.body;
  const std::string id = accepted.body["id"];
  EXPECT_EQ(accepted.headers.find("Location")->second, "/v1/jobs/" + id);
  const json job = wait_for(id);
  EXPECT_EQ(job["state"], "done");
  EXPECT_EQ(job["circuit"], "mul");
  ASSERT_EQ(job["partitions"].size(), 2u);
  EXPECT_EQ(job["partitions"][0]["public"], json::parse(R"(["3","11"])"));
  EXPECT_EQ(job["partitions"][1]["public"], json::parse(R"(["5","7"])"));
  for (const json& partition : job["partitions"]) {
    EXPECT_EQ(partition["state"], "done");
    EXPECT_EQ(partition["attempts"], 1);
    EXPECT_EQ(partition["proof"]["protocol"], "groth16");
    for (const char* phase : {"admit", "queue_wait", "reply", "witness", "msm_h"})
      EXPECT_GE(partition["phases"].value(phase, -1.0), 0) << phase;
  }
  EXPECT_TRUE(eventually([&] { return inputs_on_disk() == 0; })) << "an input outlived its partition";
  // Later the ledger tells the same; the reply's phase is a moment later there.
  EXPECT_TRUE(eventually([&] { return get("/v1/jobs/" + id).body == job; }))
      << get("/v1/jobs/" + id).body << job;
}

TEST_F(ServiceJobs, fifty_jobs_at_once_each_come_back_with_their_own_publics) {
  join_workers(4);
  std::vector<std::string> ids;
  for (int i = 0; i < 50; ++i) ids.push_back(submit_id({"{\"a\":\"" + std::to_string(i) + "\"}"}));
  for (int i = 0; i < 50; ++i) {
    const json job = wait_for(ids[static_cast<std::size_t>(i)]);
    ASSERT_EQ(job["state"], "done");
    EXPECT_EQ(job["partitions"][0]["public"], json::array({std::to_string(i)}));
  }
  EXPECT_EQ(metric("penstock_jobs_total{circuit=\"mul\",result=\"done\"}"), 50);
  EXPECT_EQ(metric("penstock_partitions_total{circuit=\"mul\",result=\"done\"}"), 50);
}

TEST_F(ServiceJobs, a_witness_is_taken_without_a_program) {
  const Answer bare = put_form("/v1/circuits/bare", {{"zkey", vector_bytes("bn254/mul.zkey"), "k", ""}});
  ASSERT_EQ(bare.status, 201) << bare.body;
  join_workers();
  const httplib::MultipartFormDataItems parts = {{"job", R"({"circuit":"bare"})", "", ""},
                                                 {"witness", vector_bytes("bn254/mul.wtns"), "w", ""}};
  const Answer accepted = post_form("/v1/jobs", parts);
  ASSERT_EQ(accepted.status, 202) << accepted.body;
  EXPECT_EQ(wait_for(accepted.body["id"])["state"], "done");
  const Answer no_program = submit({"{}"}, {{"circuit", "bare"}});
  EXPECT_EQ(no_program.status, 400);
  EXPECT_EQ(no_program.body["code"], "bad_request");
}

TEST_F(ServiceJobs, one_bad_partition_fails_the_job_and_not_its_neighbours) {
  join_workers();
  const json job = wait_for(submit_id({R"({"a":"1"})", R"({"_fake":"refuse"})", R"({"a":"3"})"}));
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job["partitions"][0]["state"], "done");
  EXPECT_EQ(job["partitions"][1]["state"], "failed");
  EXPECT_EQ(job["partitions"][1]["error"]["code"], "signal_missing");
  EXPECT_EQ(job["partitions"][2]["state"], "done");
}

TEST_F(ServiceJobs, a_failure_that_is_not_the_inputs_is_tried_again) {
  join_workers();
  const json job = wait_for(submit_id({R"({"a":"1","_fake":"trip"})"}));
  EXPECT_EQ(job["state"], "done");
  EXPECT_EQ(job["partitions"][0]["attempts"], 2);
  EXPECT_GT(job["partitions"][0]["phases"]["retry_wait"], 0.4);
  EXPECT_EQ(metric("penstock_retries_total{reason=\"internal\"}"), 1);
}

TEST_F(ServiceJobs, an_idempotency_key_gives_the_same_job_again) {
  const httplib::Headers key = {{"Idempotency-Key", "order-66"}};
  const Answer first = submit({R"({"a":"1"})"}, {{"circuit", "mul"}}, key);
  const Answer again = submit({R"({"a":"1"})"}, {{"circuit", "mul"}}, key);
  const Answer other = submit({R"({"a":"2"})"}, {{"circuit", "mul"}}, key);
  EXPECT_EQ(first.status, 202);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.body["id"], first.body["id"]);
  EXPECT_EQ(again.headers.count("Idempotency-Replayed"), 1u);
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.body["code"], "conflict");
  EXPECT_TRUE(eventually([&] { return inputs_on_disk() == 1; }));
  EXPECT_EQ(submit({"{}"}, {{"circuit", "mul"}}, {{"Idempotency-Key", "bad key"}}).status, 400);
}

TEST_F(ServiceJobs, cancel_ends_a_waiting_job) {
  const std::string id = submit_id({R"({"a":"1"})"});
  const Answer cancelled = remove("/v1/jobs/" + id);
  EXPECT_EQ(cancelled.status, 200);
  EXPECT_EQ(cancelled.body["state"], "cancelled");
  EXPECT_EQ(cancelled.body["partitions"][0]["error"]["code"], "cancelled");
  EXPECT_EQ(remove("/v1/jobs/" + id).status, 200) << "cancelling twice is no mistake";
  EXPECT_TRUE(eventually([&] { return inputs_on_disk() == 0; }));
}

TEST_F(ServiceJobs, cancel_reaches_the_worker_and_frees_its_credit) {
  join_workers(1);
  const std::string held = submit_id({R"({"_fake":"hold"})"});
  ASSERT_TRUE(eventually([&] { return synthesis_->count<wire::SynthesisTask>() == 1; }));
  const std::string next = submit_id({R"({"a":"1"})"});
  EXPECT_EQ(remove("/v1/jobs/" + held).body["state"], "cancelled");
  EXPECT_EQ(synthesis_->count<wire::CancelPartition>(), 1);
  EXPECT_EQ(wait_for(next)["state"], "done");
  EXPECT_EQ(remove("/v1/jobs/" + next).status, 409);
  EXPECT_EQ(remove("/v1/jobs/unknown").status, 404);
}

TEST_F(ServiceJobs, a_deadline_is_kept_without_any_worker) {
  const json job = wait_for(submit_id({"{}"}, {{"circuit", "mul"}, {"deadline", "300ms"}}));
  EXPECT_EQ(job["state"], "failed");
  EXPECT_EQ(job["partitions"][0]["error"]["code"], "deadline");
}

TEST_F(ServiceJobs, a_long_poll_comes_back_with_the_job_as_it_is) {
  const std::string id = submit_id({"{}"});
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(get("/v1/jobs/" + id + "?wait=300ms").body["state"], "queued");
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 300ms);
}

TEST_F(ServiceJobs, the_event_stream_tells_a_job_whole_and_ends) {
  join_workers(1);
  const std::string id = submit_id({R"({"a":"1","_fake":"hold"})"});
  ASSERT_TRUE(eventually([&] { return synthesis_->count<wire::SynthesisTask>() == 1; }));
  std::string stream;
  std::promise<void> begun;
  std::thread reader([&] {
    const auto result = client().Get("/v1/jobs/" + id + "/events", [&](const char* data, std::size_t size) {
      if (stream.empty()) begun.set_value();
      stream.append(data, size);
      return true;
    });
    EXPECT_TRUE(result);
  });
  begun.get_future().wait();
  synthesis_->release();
  reader.join();  // the server ended the stream
  std::vector<std::string> seen;
  std::istringstream lines(stream);
  std::string event;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("event: ", 0) == 0) event = line.substr(7);
    if (line.rfind("data: ", 0) != 0) continue;
    const json data = json::parse(line.substr(6));
    seen.push_back(event + " " + data["state"].get<std::string>());
    EXPECT_EQ(data[event == "partition" ? "job" : "id"], id);
    const bool proved = seen.back() == "partition done";
    EXPECT_EQ(data.value("public", json()), proved ? json::array({"1"}) : json());
  }
  const std::vector<std::string> expected = {"job running",       "partition synthesis", "partition staged",
                                             "partition proving", "partition done",      "job done"};
  std::erase(seen, "partition staged");  // the two workers' reports race: it may be skipped
  auto without = expected;
  std::erase(without, "partition staged");
  EXPECT_EQ(seen, without) << stream;
  const auto finished = client().Get("/v1/jobs/" + id + "/events");
  ASSERT_TRUE(finished);
  EXPECT_NE(finished->body.find("\"done\""), std::string::npos) << "a finished job's stream begins and ends";
}

TEST_F(ServiceJobs, jobs_are_listed_newest_first) {
  join_workers();
  const std::string first = submit_id({R"({"a":"1"})"});
  wait_for(first);
  const std::string second = submit_id({R"({"_fake":"hold"})"});
  ASSERT_TRUE(eventually([&] { return state(second) == "running"; }));
  ASSERT_TRUE(eventually([&] { return get("/v1/jobs?state=running").body["jobs"].size() == 1; }));
  const json all = get("/v1/jobs").body["jobs"];
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["id"], second);
  EXPECT_EQ(all[1]["partition_counts"]["done"], 1);
  EXPECT_EQ(get("/v1/jobs?limit=1").body["jobs"].size(), 1u);
  EXPECT_EQ(get("/v1/jobs?state=done").body["jobs"][0]["id"], first);
  for (const char* bad : {"?state=finished", "?limit=0", "?limit=x", "?limit=100000", "?colour=red"})
    EXPECT_EQ(get("/v1/jobs" + std::string(bad)).status, 400) << bad;
}

TEST_F(ServiceJobs, a_killed_synthesis_worker_costs_one_attempt) {
  join_workers(1);
  const std::string id = submit_id({R"({"a":"1","_fake":"hold"})"});
  ASSERT_TRUE(eventually([&] { return synthesis_->count<wire::SynthesisTask>() == 1; }));
  synthesis_->kill();
  FakeSynthesis other(context_, {.queue_address = settings_.bind, .name = "other"}, {gpu_.get()});
  ASSERT_TRUE(eventually([&] { return other.count<wire::SynthesisTask>() == 1; }));
  other.release();
  const json job = wait_for(id);
  EXPECT_EQ(job["state"], "done");
  EXPECT_EQ(job["partitions"][0]["attempts"], 2);
  EXPECT_EQ(metric("penstock_retries_total{reason=\"worker_lost\"}"), 1);
}

TEST_F(ServiceJobs, a_killed_gpu_service_costs_its_staged_partitions_a_second_attempt) {
  join_workers(2);
  gpu_->withhold();
  const std::string id = submit_id({R"({"a":"1"})", R"({"a":"2"})"});
  ASSERT_TRUE(eventually([&] { return get("/v1/status").body["depth"]["proving"] == 2; }));
  synthesis_.reset();
  gpu_->kill();
  gpu_ = std::make_unique<FakeGpu>(
      context_, FakeWorker::Options{.queue_address = settings_.bind, .name = "gpu", .boot = "boot-2"});
  synthesis_ = std::make_unique<FakeSynthesis>(
      context_, FakeWorker::Options{.queue_address = settings_.bind, .name = "synthesis-2"},
      std::vector<FakeGpu*>{gpu_.get()});
  const json job = wait_for(id);
  EXPECT_EQ(job["state"], "done") << job;
  EXPECT_EQ(job["partitions"][0]["public"], json::array({"1"}));
  EXPECT_EQ(job["partitions"][1]["public"], json::array({"2"}));
}

TEST_F(ServiceJobs, after_a_crash_no_accepted_job_is_lost_and_results_are_kept) {
  join_workers();
  const std::string done = submit_id({R"({"a":"1"})"});
  const json before = wait_for(done);
  ASSERT_TRUE(eventually([&] { return get("/v1/jobs/" + done).body == before; }));
  gpu_->withhold();
  const std::string half = submit_id({R"({"a":"2"})"});
  ASSERT_TRUE(eventually([&] { return get("/v1/status").body["depth"]["proving"] == 1; }));
  synthesis_.reset();
  gpu_.reset();
  const std::string waiting = submit_id({R"({"a":"3"})"});
  abandon();
  start();
  EXPECT_EQ(get("/v1/jobs/" + done).body, before);
  EXPECT_EQ(get("/v1/jobs/" + waiting).body["partitions"][0]["state"], "queued");
  join_workers();
  EXPECT_EQ(wait_for(half)["partitions"][0]["public"], json::array({"2"}));
  EXPECT_EQ(wait_for(waiting)["partitions"][0]["public"], json::array({"3"}));
}

TEST_F(ServiceJobs, a_worker_that_outlives_the_queue_keeps_what_it_holds) {
  join_workers();
  gpu_->withhold();
  const std::string id = submit_id({R"({"a":"2"})"});
  ASSERT_TRUE(eventually([&] { return get("/v1/status").body["depth"]["proving"] == 1; }));
  abandon();
  start();
  // The GPU service notices the silence, says Hello again and names what it holds; then it is proved.
  ASSERT_TRUE(eventually([&] { return get("/v1/status").body["depth"]["staged"] == 1; }));
  gpu_->release();
  const json job = wait_for(id);
  EXPECT_EQ(job["state"], "done");
  EXPECT_EQ(job["partitions"][0]["attempts"], 1);
  EXPECT_EQ(metric("penstock_retries_total{reason=\"lease_expired\"}"), 0);
}

TEST_F(ServiceJobs, draining_refuses_new_jobs_finishes_leased_ones_and_stops) {
  join_workers(1);
  const std::string held = submit_id({R"({"a":"1","_fake":"hold"})"});
  ASSERT_TRUE(eventually([&] { return synthesis_->count<wire::SynthesisTask>() == 1; }));
  const std::string waiting = submit_id({R"({"a":"2"})"});
  std::promise<json> polled;
  std::thread poller([&] { polled.set_value(wait_for(waiting)); });
  service_->drain();
  ASSERT_TRUE(eventually([&] { return get("/readyz").status == 503; }));
  EXPECT_EQ(get("/healthz").status, 200);
  const Answer refused = submit({"{}"});
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body["code"], "draining");
  EXPECT_EQ(refused.headers.count("Retry-After"), 1u);
  synthesis_->release();
  thread_.join();
  poller.join();
  EXPECT_EQ(polled.get_future().get()["state"], "queued") << "who waits is told how things stand";
  service_.reset();
  start();
  EXPECT_EQ(get("/v1/jobs/" + held).body["state"], "done");
  EXPECT_EQ(wait_for(waiting)["state"], "done");
}

// Fault 9: gauges drift.
TEST_F(ServiceJobs, gauges_return_to_zero) {
  join_workers();
  for (int i = 0; i < 5; ++i) {
    wait_for(submit_id({R"({"a":"1"})", R"({"_fake":"refuse"})", R"({"_fake":"trip"})"}));
    const std::string id = submit_id({R"({"_fake":"hold"})"});
    remove("/v1/jobs/" + id);
  }
  for (const char* stage : {"queued", "retry_wait", "synthesis", "staged", "proving"})
    EXPECT_TRUE(eventually([&] {
      return metric("penstock_queue_depth{priority=\"normal\",stage=\"" + std::string(stage) + "\"}") == 0;
    })) << stage;
  EXPECT_TRUE(eventually([&] { return metric("penstock_credits{worker_kind=\"synthesis\"}") == 2; }));
  EXPECT_EQ(metric("penstock_workers{kind=\"gpu\",state=\"alive\"}"), 1);
  EXPECT_EQ(metric("penstock_queue_oldest_age_seconds"), 0);
}

}  // namespace
}  // namespace penstock::queue::test
