// The core of a GPU service with a fake device behind real sockets, in this process.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>

#include "services/gpu/gpu_core.hpp"
#include "tests/contract/transport/loop_thread.hpp"
#include "tests/support/fake_device.hpp"

namespace penstock::tests {

using wire::test::Mailbox;

inline constexpr std::uint32_t chunk_bytes = 4096;

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
  /// `arena_path`: what it says; its arena is memory of its own.
  explicit GpuServer(const std::optional<Security>& security, const std::string& arena_path = {}) {
    gpu::CoreOptions options;
    options.lanes = 1;
    options.staging.arena_path = arena_path;
    options.staging.chunks = {.chunk_bytes = chunk_bytes, .credits = 3};
    loop_.run_there([&] {
      if (security) loop_->secure(*security);
      router_ =
          loop_
              ->bind_router(
                  {"tcp://127.0.0.1:0"},
                  [this](const wire::PeerId& peer, const wire::Message& m) { from_worker(peer, m); },
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
    let_proofs_go();
    loop_.end();
    core_.reset();
  }
  static CircuitId circuit_id() { return CircuitId(std::string(64, 'c')); }
  [[nodiscard]] std::string address() const { return router_->endpoints().front(); }
  Mailbox<wire::Message> results;

  void hold_proofs() { device_.faults.close_gate(); }
  void let_proofs_go() { device_.faults.open_gate(); }
  /// The partition committed last is unknown from now on, as after a restart.
  void forget_last() {
    loop_.run_there([this] {
      core_->from_worker(last_peer_, wire::CancelPartition{last_});
      let_proofs_go();
    });
    wait_idle();
  }
  void wait_idle() {
    std::promise<void> idle;
    wire::MessageLoop::TimerId timer = 0;
    loop_.run_there([&] {
      timer = loop_->every(std::chrono::milliseconds(1), [&] {
        if (!core_->staging().idle()) return;
        loop_->cancel(timer);
        idle.set_value();
      });
    });
    EXPECT_EQ(idle.get_future().wait_for(wire::test::patience), std::future_status::ready);
  }

 private:
  void from_worker(const wire::PeerId& peer, const wire::Message& message) {
    if (const auto* commit = std::get_if<wire::StageCommit>(&message)) {
      last_peer_ = peer;
      last_ = commit->partition;
    }
    core_->from_worker(peer, message);
  }
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
  wire::PeerId last_peer_;
  wire::PartitionRef last_;
  std::unique_ptr<gpu::GpuCore> core_;
};

}  // namespace penstock::tests
