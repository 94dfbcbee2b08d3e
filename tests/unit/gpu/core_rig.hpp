// A GpuCore with a fake device, a manual message loop and a clock that the test moves: everything but
// sockets.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "common/base/checksum.hpp"
#include "services/gpu/gpu_core.hpp"
#include "tests/support/fake_device.hpp"

namespace penstock::gpu::tests {

using penstock::tests::FakeBlinding;
using penstock::tests::FakeDevice;
using penstock::tests::FakeVerifier;
using penstock::tests::MovedClock;
using namespace std::chrono_literals;

/// Posted work runs in the test's thread, when the test asks.
class ManualLoop {
 public:
  void post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
    posted_.notify_one();
  }
  void run_posted() {
    std::unique_lock lock(mutex_);
    while (!work_.empty()) {
      const auto work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }
  /// Runs posted work until `holds`; false after ten seconds.
  [[nodiscard]] bool run_until(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    for (;;) {
      run_posted();
      if (holds()) return true;
      std::unique_lock lock(mutex_);
      if (!posted_.wait_until(lock, deadline, [this] { return !work_.empty(); })) return holds();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::function<void()>> work_;
};

/// The host's judgement: a second fake, which is never wrong.
class FakeOpinion final : public SecondOpinion {
 public:
  [[nodiscard]] Result<groth16::ProvedPartition> prove_again(const LoadedCircuit&,
                                                             const groth16::PartitionView& view) override {
    ++asked;
    groth16::ProvedPartition proved;
    proved.publics = {circuit::Scalar{std::to_integer<std::uint64_t>(view.bytes.front()), 0, 0, 0}};
    return proved;
  }
  [[nodiscard]] Error explain(const LoadedCircuit&, const groth16::PartitionView&) override {
    return {.code = ErrorCode::witness_unsatisfied, .what = "the witness does not satisfy the circuit"};
  }
  std::atomic<int> asked = 0;
};

struct RigOptions {
  std::size_t arena_bytes = 64 << 10;
  std::filesystem::path arena_path = {};  ///< a real arena; empty: plain memory
  int lanes = 2;
  int quarantine_after = 3;
  std::uint64_t budget_bytes = 0;
  bool allow_insecure_keys = false;
  ChunkOptions chunks = {};
};

class CoreRig {
 public:
  explicit CoreRig(const RigOptions& options = {}) {
    if (options.arena_path.empty())
      plain_.resize(options.arena_bytes);
    else
      file_ = wire::ArenaFile::create(options.arena_path, options.arena_bytes).value();
    arena_ = file_ ? file_->memory() : std::span<std::byte>(plain_);
    CoreOptions core;
    core.lanes = options.lanes;
    core.quarantine_after = options.quarantine_after;
    core.residency = {.budget_bytes = options.budget_bytes,
                      .allow_insecure_keys = options.allow_insecure_keys};
    core.staging = {.arena_path = options.arena_path.empty() ? "/arena" : options.arena_path.string(),
                    .lease_valid = 30s,
                    .circuit_wait = 60s,
                    .device = "cuda:0",
                    .chunks = options.chunks};
    auto created = GpuCore::create(
        core,
        CoreParts{.device = device,
                  .second_opinion = opinion,
                  .blinding = blinding_,
                  .load = [this](const wire::CircuitRef& ref) { return load(ref); },
                  .metrics = metrics,
                  .clock = clock,
                  .arena = arena_},
        Outbox{
            .to_worker = [this](const wire::PeerId&, wire::Message m) { to_worker.push_back(std::move(m)); },
            .to_queue = [this](wire::Message m) { to_queue.push_back(std::move(m)); },
            .post = [this](std::function<void()> work) { loop.post(std::move(work)); }});
    core_ = std::move(created).value();
    offer("mul", false);
  }
  ~CoreRig() {
    device.faults.open_gate();
    core_.reset();
  }

  GpuCore& core() { return *core_; }
  void from_worker(const wire::Message& message) { core_->from_worker("synthesis-1/x", message); }

  static wire::CircuitRef circuit_ref(const std::string& name, bool insecure) {
    wire::CircuitRef ref;
    ref.id = CircuitId("id-" + name);
    ref.name = name;
    ref.insecure_dev = insecure;
    return ref;
  }
  void offer(const std::string& name, bool insecure) {
    core_->from_queue(wire::CircuitOffer{circuit_ref(name, insecure), false});
  }

  void welcome() {
    wire::Welcome message;
    message.circuits = {circuit_ref("mul", false)};
    core_->from_queue(message);
  }

  static wire::PartitionRef ref(std::uint32_t index, std::uint64_t token = 1,
                                const std::string& job = "job-1") {
    return {JobId(job), index, static_cast<std::uint32_t>(token), FencingToken{token}};
  }
  static wire::StageRequest request(const wire::PartitionRef& partition, std::uint64_t bytes = 4096,
                                    const std::string& circuit = "mul") {
    wire::StageRequest request;
    request.partition = partition;
    request.circuit = CircuitId("id-" + circuit);
    request.size_bytes = bytes;
    return request;
  }

  /// Asks for a slab and waits for the answer.
  wire::Message ask(const wire::StageRequest& request) {
    const std::size_t before = to_worker.size();
    from_worker(request);
    EXPECT_TRUE(loop.run_until([&] { return to_worker.size() > before; }));
    return to_worker.back();
  }
  wire::StageGrant granted(const wire::StageRequest& asked) {
    const auto answer = ask(asked);
    const auto* grant = std::get_if<wire::StageGrant>(&answer);
    EXPECT_NE(grant, nullptr);
    return grant == nullptr ? wire::StageGrant{} : *grant;
  }
  /// Writes `value` into the slab: even values satisfy the fake circuit.
  void write(const wire::StageGrant& grant, std::uint8_t value) { arena_[grant.offset] = std::byte{value}; }
  static wire::StageCommit commit_of(const wire::StageGrant& grant) {
    wire::StageCommit commit;
    commit.partition = grant.partition;
    commit.lease = grant.lease;
    commit.slab_token = grant.slab_token;
    commit.used_bytes = 32;
    return commit;
  }
  /// As a worker commits who wrote `value` and then zeros.
  static wire::StageCommit checked_commit_of(const wire::StageGrant& grant, std::uint8_t value) {
    wire::StageCommit commit = commit_of(grant);
    std::array<std::byte, 32> bytes{};
    bytes[0] = std::byte{value};
    commit.digest = checksum_of(bytes);
    return commit;
  }
  wire::StageGrant stage(const wire::PartitionRef& partition, std::uint8_t value) {
    const auto grant = granted(request(partition));
    write(grant, value);
    from_worker(commit_of(grant));
    return grant;
  }

  /// The results sent to the queue so far.
  template <class M>
  std::vector<M> sent() const {
    std::vector<M> found;
    for (const auto& message : to_queue)
      if (const auto* one = std::get_if<M>(&message)) found.push_back(*one);
    return found;
  }
  template <class M>
  [[nodiscard]] bool wait_sent(std::size_t count) {
    return loop.run_until([&] { return sent<M>().size() >= count; });
  }
  /// The refusal the worker got last.
  wire::StageRefused refusal() const {
    const auto* refused = to_worker.empty() ? nullptr : std::get_if<wire::StageRefused>(&to_worker.back());
    EXPECT_NE(refused, nullptr);
    return refused == nullptr ? wire::StageRefused{} : *refused;
  }
  [[nodiscard]] bool slab_is_wiped(const wire::StageGrant& grant) const {
    for (std::uint64_t i = 0; i < grant.size_bytes; ++i)
      if (arena_[grant.offset + i] != std::byte{0}) return false;
    return true;
  }
  [[nodiscard]] std::uint64_t used_slabs() {
    const auto usage = core_->staging().slabs();
    return usage.slabs[1] + usage.slabs[2] + usage.slabs[3];
  }

  FakeDevice device;
  FakeOpinion opinion;
  MovedClock clock;
  ManualLoop loop;
  telemetry::Metrics metrics{telemetry::Service::gpu, "0", "0", ""};
  std::vector<wire::Message> to_worker, to_queue;
  std::atomic<int> loads = 0;
  std::atomic<int> failing_loads = 0;
  std::function<void()> before_load;

 private:
  Result<std::shared_ptr<const LoadedCircuit>> load(const wire::CircuitRef& circuit) {
    if (before_load) before_load();
    ++loads;
    if (failing_loads > 0 && failing_loads-- > 0)
      return Error{.code = ErrorCode::out_of_memory, .what = "no room on the device"};
    auto loaded = std::make_shared<LoadedCircuit>();
    loaded->ref = circuit;
    loaded->resident = PENSTOCK_TRY(device.load_circuit(nullptr));
    loaded->verifier = std::make_shared<FakeVerifier>();
    return std::shared_ptr<const LoadedCircuit>(std::move(loaded));
  }

  FakeBlinding blinding_;
  std::unique_ptr<wire::ArenaFile> file_;
  std::vector<std::byte> plain_;
  std::span<std::byte> arena_;
  std::unique_ptr<GpuCore> core_;
};

}  // namespace penstock::gpu::tests
