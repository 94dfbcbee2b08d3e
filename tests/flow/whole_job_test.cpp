// Queue, two synthesis workers and a GPU service on the host device, in one process over ipc: from input.json
// by HTTP to a proof that verifies.
#include <unistd.h>

#include "common/circuit/proof_json.hpp"
#include "common/groth16/verify.hpp"
#include "services/gpu/service.hpp"
#include "services/synthesis/service.hpp"
#include "tests/unit/queue/service_rig.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;

/// A service on a thread of its own; drains when it dies.
template <class Service>
class Running {
 public:
  template <class Settings>
  explicit Running(const Settings& settings) {
    auto started = Service::start(settings);
    EXPECT_TRUE(started.ok()) << to_string(started.error());
    service_ = std::move(started).value();
    thread_ = std::thread([this] { static_cast<void>(service_->run()); });
  }
  ~Running() {
    service_->drain();
    thread_.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  std::unique_ptr<Service> service_;
  std::thread thread_;
};

class WholeJob : public ServiceRig {
 protected:
  WholeJob() { settings_.bind = place("queue.ipc"); }

  void SetUp() override {
    start();
    real_gpu_ = std::make_unique<Running<gpu::Service>>(gpu_settings());
    for (const char* name : {"synthesis-1", "synthesis-2"})
      workers_.push_back(std::make_unique<Running<synthesis::Service>>(synthesis_settings(name)));
    ASSERT_TRUE(eventually([&] { return get("/v1/status").body["workers"].size() == 3; }));
  }
  void TearDown() override {
    workers_.clear();
    real_gpu_.reset();
  }

  [[nodiscard]] std::string place(const std::string& socket) const {
    return "ipc://" + (scratch_.path() / socket).string();
  }
  [[nodiscard]] gpu::Settings gpu_settings() const {
    gpu::Settings settings;
    settings.queue = settings_.bind;
    settings.circuits = settings_.circuits;
    settings.device = "cpu";
    settings.arena = "/dev/shm/penstock-flow-" + std::to_string(::getpid()) + ".arena";
    settings.arena_bytes = std::uint64_t{4} << 20;
    settings.bind = place("gpu.ipc");
    settings.metrics = "127.0.0.1:0";
    settings.key_cache = (scratch_.path() / "keys").string();
    settings.log_level = "critical";
    return settings;
  }
  [[nodiscard]] synthesis::Settings synthesis_settings(const std::string& name) const {
    synthesis::Settings settings;
    settings.queue = settings_.bind;
    settings.circuits = settings_.circuits;
    settings.cache = (scratch_.path() / "programs").string();
    settings.metrics = "127.0.0.1:0";
    settings.name = name;
    settings.credits = 2;
    settings.compile_ahead = false;  // the interpreter is what is at hand; a compiler is not under test
    settings.log_level = "critical";
    return settings;
  }

  void register_circuit(const std::string& curve, const std::string& name) {
    httplib::MultipartFormDataItems parts;
    for (const char* kind : {"zkey", "wasm", "r1cs", "sym"})
      parts.push_back({kind, vector_bytes(curve + "/" + name + "." + kind), name, ""});
    ASSERT_EQ(put_form("/v1/circuits/" + name + "-" + curve, parts).status, 201);
  }

  std::string submit_times(const std::string& curve, const std::string& name, std::size_t partitions) {
    const std::vector<std::string> inputs(partitions, vector_bytes(curve + "/" + name + ".in.json"));
    return submit_id(inputs, {{"circuit", name + "-" + curve}});
  }

  static void expect_valid(const json& partition, const std::string& curve, const std::string& name) {
    const auto key = circuit::verification_key_from_json(vector_bytes(curve + "/" + name + ".vk.json"));
    ASSERT_TRUE(key.ok());
    const CurveId id = circuit::curve_of(*key);
    const auto publics = circuit::publics_from_json(partition["public"].dump(), id);
    const auto proof = circuit::proof_from_json(partition["proof"].dump(), id);
    ASSERT_TRUE(publics.ok() && proof.ok()) << partition;
    EXPECT_TRUE(groth16::verify(*key, *publics, *proof).ok());
    EXPECT_EQ(partition["public"], json::parse(vector_bytes(curve + "/" + name + ".public.json")));
  }

  std::unique_ptr<Running<gpu::Service>> real_gpu_;
  std::vector<std::unique_ptr<Running<synthesis::Service>>> workers_;
};

TEST_F(WholeJob, both_curves_prove_side_by_side_and_every_proof_verifies) {
  constexpr std::size_t partitions = 4;
  std::vector<std::pair<std::string, std::string>> jobs;
  for (const char* curve : {"bn254", "bls12_381"}) {
    register_circuit(curve, "chain");
    jobs.emplace_back(curve, submit_times(curve, "chain", partitions));
  }
  for (const auto& [curve, id] : jobs) {
    const json job = wait_for(id);
    ASSERT_EQ(job["state"], "done") << job;
    ASSERT_EQ(job["partitions"].size(), partitions);
    for (const json& partition : job["partitions"]) {
      expect_valid(partition, curve, "chain");
      for (const char* phase : {"admit", "queue_wait", "witness", "r1cs_check", "pack", "slab_wait", "stage",
                                "lane_wait", "msm_h", "verify", "result"})
        EXPECT_TRUE(partition["phases"].contains(phase)) << phase;
    }
  }
}

TEST_F(WholeJob, a_broken_witness_is_named_and_harms_nobody) {
  register_circuit("bn254", "chain");
  const json job = {{"circuit", "chain-bn254"}};
  const Answer broken = post_form("/v1/jobs", {{"job", job.dump(), "", ""},
                                               {"witness", vector_bytes("bn254/f_wrongwire.wtns"), "w", ""}});
  ASSERT_EQ(broken.status, 202) << broken.body;
  const std::string good = submit_times("bn254", "chain", 1);
  const json failed = wait_for(broken.body["id"]);
  EXPECT_EQ(failed["state"], "failed");
  EXPECT_EQ(failed["partitions"][0]["error"]["code"], "witness_unsatisfied") << failed;
  const json done = wait_for(good);
  ASSERT_EQ(done["state"], "done");
  expect_valid(done["partitions"][0], "bn254", "chain");
}

TEST_F(WholeJob, a_cancelled_job_frees_what_it_held_for_the_next) {
  register_circuit("bn254", "chain");
  for (int round = 0; round < 3; ++round) {
    const std::string dropped = submit_times("bn254", "chain", 16);
    ASSERT_TRUE(eventually([&] { return get("/v1/jobs/" + dropped).body["state"] != "queued"; }));
    EXPECT_EQ(remove("/v1/jobs/" + dropped).status, 200);
    const json job = wait_for(submit_times("bn254", "chain", 2));
    ASSERT_EQ(job["state"], "done") << job;
    for (const json& partition : job["partitions"]) expect_valid(partition, "bn254", "chain");
  }
}

TEST_F(WholeJob, workers_that_leave_in_the_middle_lose_nothing) {
  register_circuit("bn254", "chain");
  const std::string id = submit_times("bn254", "chain", 12);
  ASSERT_TRUE(eventually([&] { return get("/v1/jobs/" + id).body["state"] == "running"; }));
  workers_.pop_back();  // drains
  real_gpu_.reset();
  real_gpu_ = std::make_unique<Running<gpu::Service>>(gpu_settings());
  const json job = wait_for(id);
  ASSERT_EQ(job["state"], "done") << job;
  for (const json& partition : job["partitions"]) expect_valid(partition, "bn254", "chain");
}

}  // namespace
}  // namespace penstock::queue::test
