// A worker on another host: real sockets between its stager and the GPU service's core, with the connection
// cut at every chunk, plain and with CURVE.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "common/base/checksum.hpp"
#include "services/gpu/gpu_core.hpp"
#include "services/synthesis/gpu_links.hpp"
#include "services/synthesis/stager.hpp"
#include "tests/contract/transport/loop_thread.hpp"
#include "tests/flow/cut_proxy.hpp"
#include "tests/support/fake_device.hpp"

namespace penstock::tests {
namespace {

using namespace std::chrono_literals;
using wire::test::Mailbox;

constexpr std::uint32_t chunk_bytes = 4096;
constexpr std::size_t chunks = 12;

/// A loop whose thread can be ended before what its handlers use is destroyed.
class Loop {
 public:
  ~Loop() { end(); }
  void end() {
    if (!thread_.joinable()) return;
    loop_.stop();
    thread_.join();
  }
  wire::MessageLoop& operator*() { return loop_; }
  wire::MessageLoop* operator->() { return &loop_; }
  void run_there(const std::function<void()>& work) {
    std::promise<void> done;
    loop_.post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }

 private:
  wire::MessageLoop loop_{wire::MessageLoop::make_context()};
  std::thread thread_{[this] { loop_.run(); }};
};

class NoOpinion final : public gpu::SecondOpinion {
 public:
  Result<groth16::ProvedPartition> prove_again(const gpu::LoadedCircuit&,
                                               const groth16::PartitionView&) override {
    return Error{.code = ErrorCode::internal, .what = "nobody should ask"};
  }
  Error explain(const gpu::LoadedCircuit&, const groth16::PartitionView&) override { return {}; }
};

using Security = wire::MessageLoop::Security;

/// The core of a GPU service behind a router of its own.
class GpuServer {
 public:
  explicit GpuServer(const std::optional<Security>& security) {
    gpu::CoreOptions options;
    options.lanes = 1;
    options.staging.chunks = {.chunk_bytes = chunk_bytes, .credits = 3};
    loop_.run_there([&] {
      if (security) loop_->secure(*security);
      router_ =
          loop_
              ->bind_router(
                  {"tcp://127.0.0.1:0"},
                  [this](const wire::PeerId& peer, const wire::Message& m) { core_->from_worker(peer, m); },
                  [this](const wire::PeerId& peer, const wire::StageChunk& chunk,
                         std::span<const std::byte> bytes) { core_->chunk_from_worker(peer, chunk, bytes); })
              .value();
      core_ = gpu::GpuCore::create(options, parts(), outbox()).value();
      wire::CircuitRef circuit;
      circuit.id = circuit_id();
      core_->from_queue(wire::CircuitOffer{circuit, false});
    });
  }
  ~GpuServer() {
    loop_.end();
    core_.reset();
  }
  static CircuitId circuit_id() { return CircuitId(std::string(64, 'c')); }
  [[nodiscard]] std::string address() const { return router_->endpoints().front(); }
  Mailbox<wire::Message> results;

 private:
  gpu::CoreParts parts() {
    return {.device = device_,
            .second_opinion = opinion_,
            .blinding = blinding_,
            .load = [this](const wire::CircuitRef& ref) -> Result<std::shared_ptr<const gpu::LoadedCircuit>> {
              auto loaded = std::make_shared<gpu::LoadedCircuit>();
              loaded->ref = ref;
              loaded->resident = PENSTOCK_TRY(device_.load_circuit(nullptr));
              loaded->verifier = std::make_shared<FakeVerifier>();
              return std::shared_ptr<const gpu::LoadedCircuit>(std::move(loaded));
            },
            .metrics = metrics_,
            .clock = clock_,
            .arena = arena_};
  }
  gpu::Outbox outbox() {
    return {.to_worker = [this](const wire::PeerId& peer,
                                const wire::Message& m) { static_cast<void>(router_->send(peer, m)); },
            .to_queue =
                [this](wire::Message m) {
                  if (!std::holds_alternative<wire::PartitionProgress>(m)) results.put(std::move(m));
                },
            .post = [this](std::function<void()> work) { loop_->post(std::move(work)); }};
  }
  FakeDevice device_;
  NoOpinion opinion_;
  FakeBlinding blinding_;
  telemetry::Metrics metrics_{telemetry::Service::gpu, "0", "0", ""};
  SystemClock clock_;
  std::vector<std::byte> arena_ = std::vector<std::byte>(64 * chunk_bytes);
  Loop loop_;
  wire::RouterSocket* router_ = nullptr;
  std::unique_ptr<gpu::GpuCore> core_;
};

/// A worker's links and one partition that it stages.
class Worker {
 public:
  explicit Worker(const std::optional<Security>& security) {
    options_.host_id = "far away";
    options_.worker = WorkerName("s");
    options_.incarnation = Incarnation("boot");
    options_.repeat_after = 100ms;
    loop_.run_there([&] {
      if (security) loop_->secure(*security);
      loop_->every(20ms, [this] { links_.tick(); });
    });
  }
  ~Worker() { loop_.end(); }
  Status stage(const std::string& address, const std::string& server_key) {
    wire::SynthesisTask task;
    task.partition = {JobId("job"), 0, 1, FencingToken{7}};
    task.circuit.id = GpuServer::circuit_id();
    task.gpu = {WorkerName("gpu"), Incarnation("one"), {address}, "here", server_key};
    synthesis::Stager stager(options_, links_, arenas_, clock_);
    telemetry::PhaseTimes phases;
    return stager.stage(task, chunks * chunk_bytes,
                        [](std::span<std::byte> to) {
                          for (std::size_t i = 0; i < to.size(); ++i)
                            to[i] = static_cast<std::byte>(i % 251 * 2);
                          return synthesis::Stager::Written{to.size(), checksum_of(to)};
                        },
                        phases, {});
  }

 private:
  SystemClock clock_;
  synthesis::StagerOptions options_;
  synthesis::Arenas arenas_;
  Loop loop_;
  synthesis::GpuLinks links_{*loop_, clock_, "s/boot"};
};

struct Keys {
  std::shared_ptr<const wire::CurveKeys> server =
      std::make_shared<const wire::CurveKeys>(wire::make_curve_keys());
  std::shared_ptr<const wire::CurveKeys> worker =
      std::make_shared<const wire::CurveKeys>(wire::make_curve_keys());
};

/// The partition arrives whole, once, and is proved; the core compares its checksum.
void expect_staged_despite_a_cut_after(std::uint64_t bytes, const std::optional<Keys>& keys) {
  std::optional<Security> of_server, of_worker;
  if (keys) {
    of_server = Security{keys->server, {keys->worker->public_key}};
    of_worker = Security{keys->worker, {}};
  }
  GpuServer server(of_server);
  CutProxy proxy(server.address(), bytes);
  Worker worker(of_worker);
  const Status staged = worker.stage(proxy.address(), keys ? keys->server->public_key : "");
  ASSERT_TRUE(staged.ok()) << to_string(staged.error());
  EXPECT_TRUE(proxy.was_cut()) << bytes;
  const auto results = server.results.wait_for(1);
  EXPECT_TRUE(std::holds_alternative<wire::PartitionProved>(results.front())) << "cut after " << bytes;
}

TEST(RemoteStaging, a_connection_cut_at_each_chunk_is_resumed) {
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
    expect_staged_despite_a_cut_after(chunk * (chunk_bytes + 200) + 1500, std::nullopt);
}

TEST(RemoteStaging, and_so_it_is_under_curve) {
  const Keys keys;
  for (const std::uint64_t bytes : {300, 1500, 20'000, 45'000})
    expect_staged_despite_a_cut_after(bytes, keys);
}

}  // namespace
}  // namespace penstock::tests
