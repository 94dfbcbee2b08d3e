// What changes under a client: names removed, symbols added, deadlines passed, jobs ended, workers draining.
#include <spdlog/logger.h>

#include <future>

#include "services/queue/model.hpp"
#include "services/queue/sqlite_handle.hpp"
#include "tests/unit/queue/service_rig.hpp"
#include "tests/unit/runtime/raw_client.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;

class ServiceChanges : public ServiceRig {
 protected:
  void SetUp() override {
    start();
    ASSERT_EQ(put_circuit("mul").status, 201);
  }
};

// Fault: a cancellation that came too late was answered with 200, and the command line said "cancelled".
TEST_F(ServiceChanges, a_cancellation_that_cancels_nothing_is_a_conflict) {
  join_workers(1);
  gpu_->withhold();
  const std::string id = submit_id({R"({"a":"1"})"});
  ASSERT_TRUE(eventually([&] { return get("/v1/status").body["depth"]["proving"] == 1; }));
  // The ledger cannot be written while this transaction is open: the result is on its way into it.
  SqliteConnection other((scratch_.path() / "queue/ledger.sqlite").string(),
                         SqliteConnection::Mode::read_write);
  other.execute("BEGIN IMMEDIATE");
  gpu_->release();
  ASSERT_TRUE(eventually([&] { return get("/v1/status").body["depth"]["proving"] == 0; }));
  EXPECT_NE(get("/v1/jobs/" + id).body["state"], "done");
  runtime::test::RawClient late(service_->http_port());
  late.send("DELETE /v1/jobs/" + id + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  for (int i = 0; i < 10; ++i) get("/v1/status");  // the loop has seen the cancellation by then
  other.execute("ROLLBACK");
  const auto answer = late.read_response();
  EXPECT_EQ(answer.status, 409) << answer.body;
  EXPECT_NE(answer.body.find("the job is done"), std::string::npos) << answer.body;
  EXPECT_EQ(wait_for(id)["state"], "done");
}

// Fault: jobs of one name kept the other names of their circuit.
TEST_F(ServiceChanges, a_name_can_go_while_another_keeps_its_circuit_and_jobs) {
  ASSERT_EQ(put_circuit("mul", "alias").status, 201);
  const std::string id = submit_id({R"({"a":"3"})"}, {{"circuit", "alias"}});
  EXPECT_EQ(remove("/v1/circuits/alias").status, 204) << "mul keeps the files";
  EXPECT_EQ(submit({"{}"}, {{"circuit", "alias"}}).status, 404);
  EXPECT_EQ(remove("/v1/circuits/mul").status, 409) << "the last name of a circuit with a job";
  abandon();
  start();
  join_workers();
  EXPECT_EQ(wait_for(id)["state"], "done");
  EXPECT_EQ(remove("/v1/circuits/mul").status, 204);
}

// Fault: symbols that came later were kept and never used.
TEST_F(ServiceChanges, symbols_that_come_later_are_shown_remembered_and_offered) {
  ASSERT_EQ(put_circuit("mul", "alias").body["has_sym"], false);
  join_workers();
  const auto put = [&](const std::string& name) {
    return put_form("/v1/circuits/" + name, {{"zkey", vector_bytes("bn254/mul.zkey"), "k", ""},
                                             {"wasm", vector_bytes("bn254/mul.wasm"), "w", ""},
                                             {"sym", vector_bytes("bn254/mul.sym"), "s", ""}});
  };
  const Answer again = put("mul");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body["has_sym"], true);
  EXPECT_EQ(get("/v1/circuits/alias").body["has_sym"], true);
  EXPECT_EQ(put_circuit("mul", "third").body["has_sym"], true) << "they are there already";
  EXPECT_TRUE(eventually([&] {
    for (const wire::Message& message : synthesis_->received())
      if (const auto* offer = std::get_if<wire::CircuitOffer>(&message))
        if (offer->circuit.name != "third") return offer->circuit.has_sym;
    return false;
  }));
  stop();
  start();
  for (const char* name : {"mul", "alias", "third"})
    EXPECT_EQ(get("/v1/circuits/" + std::string(name)).body["has_sym"], true) << name;
}

// Fault: a retry got an error in place of its job, when what it had asked for was no longer possible.
TEST_F(ServiceChanges, a_retry_under_its_key_gets_its_job_whatever_has_changed) {
  join_workers();
  const auto deadline = to_iso8601(to_millis(clock_.wall_now()) + 1h);
  const json job = {{"circuit", "mul"}, {"deadline", deadline}};
  const httplib::Headers key = {{"Idempotency-Key", "order-67"}};
  const Answer first = submit({R"({"a":"1"})"}, job, key);
  ASSERT_EQ(first.status, 202) << first.body;
  const std::string id = first.body["id"];
  wait_for(id);
  ASSERT_EQ(remove("/v1/circuits/mul").status, 204);
  clock_.move_ahead(2h);
  EXPECT_EQ(submit({R"({"a":"1"})"}, job).body["code"], "deadline");
  const Answer again = submit({R"({"a":"1"})"}, job, key);
  EXPECT_EQ(again.status, 202) << again.body;
  EXPECT_EQ(again.body["id"], id);
  EXPECT_EQ(submit({R"({"a":"2"})"}, job, key).status, 409);
  EXPECT_EQ(submit({R"({"a":"1"})"}, job, {{"Idempotency-Key", "fresh"}}).body["code"], "deadline");
}

// Fault: the stream of a job above 1 MiB was cut before it had told the job once.
TEST_F(ServiceChanges, the_events_of_a_large_job_begin_with_all_of_it) {
  join_workers();
  const std::vector<std::string> inputs(20, "{\"a\":\"" + std::string(200'000, '7') + "\"}");
  const std::string id = submit_id(inputs);
  ASSERT_EQ(wait_for(id)["state"], "done");
  const auto events = client().Get("/v1/jobs/" + id + "/events");
  ASSERT_TRUE(events) << httplib::to_string(events.error());
  std::size_t told = 0;
  for (std::size_t at = 0; (at = events->body.find("event: partition", at)) != std::string::npos; ++at)
    ++told;
  EXPECT_EQ(told, inputs.size());
  EXPECT_GT(events->body.size(), 20u * 200'000u);
}

TEST_F(ServiceChanges, a_draining_gpu_service_is_shown_and_gets_nothing_more) {
  join_workers(1);
  gpu_->drain();
  ASSERT_TRUE(eventually([&] { return metric("penstock_workers{kind=\"gpu\",state=\"draining\"}") == 1; }));
  EXPECT_EQ(metric("penstock_workers{kind=\"gpu\",state=\"alive\"}"), 0);
  EXPECT_EQ(get("/v1/status").body["workers"][0]["state"], "draining");
  const std::string id = submit_id({R"({"a":"1"})"});
  FakeGpu fresh(context_, {.queue_address = settings_.bind, .name = "gpu-2"});
  FakeSynthesis other(context_, {.queue_address = settings_.bind, .name = "synthesis-2"}, {&fresh});
  EXPECT_EQ(wait_for(id)["state"], "done");
  for (const FakeSynthesis* worker : {synthesis_.get(), &other})
    for (const wire::Message& message : worker->received()) {
      const auto* task = std::get_if<wire::SynthesisTask>(&message);
      EXPECT_TRUE(task == nullptr || task->gpu.name.text() == "gpu-2");
    }
}

}  // namespace
}  // namespace penstock::queue::test
