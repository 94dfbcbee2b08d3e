// A kernel that writes where nothing is, in a process of its own: the service's core drains, and the process
// ends with the status and the sentence that its operator is promised.
#include <cstdio>
#include <cstring>

#include "common/circuit/witness.hpp"
#include "cuda/bench/device_fault.hpp"
#include "cuda/groth16/cuda_device.hpp"
#include "tests/gpu/gpu_fixture.hpp"
#include "tests/unit/gpu/core_rig.hpp"

namespace penstock::test {
namespace {

using namespace std::chrono_literals;
using gpu::tests::CoreRig;

/// penstock-gpu's core on the real device, without its sockets.
class LostDevice : public Gpu {
 protected:
  /// Loads, proves one partition, breaks the device, stages another; ends as penstock-gpu's main does.
  [[noreturn]] static void lose_the_device() {
    const auto device = cuda::make_cuda_device({}).value();
    const std::string base = vectors_folder() + "/bn254/chain";
    const auto file = circuit::MappedFile::open(base + ".wtns").value();
    const auto witness = circuit::parse_wtns(file.bytes()).value().values.bytes();
    std::vector<std::byte> arena(64 << 10);
    gpu::tests::ManualLoop loop;
    gpu::tests::FakeOpinion opinion;
    groth16::OsBlindingSource blinding;
    telemetry::Metrics metrics{telemetry::Service::gpu, "0", "0", ""};
    SystemClock clock;
    std::vector<wire::Message> to_worker, to_queue;
    gpu::CoreOptions options;
    options.staging = {.arena_path = "/arena", .lease_valid = 30s, .circuit_wait = 60s, .device = "cuda:0"};
    const auto core =
        gpu::GpuCore::create(
            options,
            {.device = *device,
             .second_opinion = opinion,
             .blinding = blinding,
             .load = [&](const wire::CircuitRef& ref) { return load(*device, base + ".zkey", ref); },
             .metrics = metrics,
             .clock = clock,
             .arena = arena},
            {.to_worker = [&](const wire::PeerId&, wire::Message m) { to_worker.push_back(std::move(m)); },
             .to_queue = [&](wire::Message m) { to_queue.push_back(std::move(m)); },
             .post = [&](std::function<void()> work) { loop.post(std::move(work)); }})
            .value();
    core->from_queue(wire::CircuitOffer{CoreRig::circuit_ref("chain", false), false});
    const auto stage = [&](std::uint32_t index) {
      const std::size_t before = to_worker.size();
      auto request = CoreRig::request(CoreRig::ref(index), witness.size(), "chain");
      request.encoding = wire::Encoding::raw;
      core->from_worker("worker/1", request);
      expect(loop.run_until([&] { return to_worker.size() > before; }), "no answer to a request");
      const auto* grant = std::get_if<wire::StageGrant>(&to_worker.back());
      expect(grant != nullptr, "no slab");
      std::memcpy(arena.data() + grant->offset, witness.data(), witness.size());
      auto commit = CoreRig::commit_of(*grant);
      commit.used_bytes = witness.size();
      core->from_worker("worker/1", commit);
    };
    const auto results = [&] {
      return std::count_if(to_queue.begin(), to_queue.end(), [](const wire::Message& message) {
        return std::holds_alternative<wire::PartitionProved>(message) ||
               std::holds_alternative<wire::PartitionFailed>(message);
      });
    };
    stage(0);
    expect(loop.run_until([&] { return results() == 1; }), "no result while the device was well");
    expect(std::holds_alternative<wire::PartitionProved>(to_queue.back()), "no proof");
    cuda::provoke_fault(cuda::Stream());
    stage(1);
    expect(loop.run_until([&] { return core->fault().has_value() && core->drained(); }), "not drained");
    expect(results() == 1, "a result of a lost device was sent");
    std::fprintf(stderr, "penstock-gpu: %s\n", to_string(*core->fault()).c_str());
    _exit(exit_status(core->fault()->code));
  }

 private:
  static void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    _exit(99);
  }
  static Result<std::shared_ptr<const gpu::LoadedCircuit>> load(groth16::ProvingDevice& device,
                                                                const std::string& path,
                                                                const wire::CircuitRef& ref) {
    auto loaded = std::make_shared<gpu::LoadedCircuit>();
    loaded->ref = ref;
    loaded->key = PENSTOCK_TRY(circuit::ProvingKey::open(path));
    loaded->resident = PENSTOCK_TRY(device.load_circuit(loaded->key));
    loaded->verifier = PENSTOCK_TRY(groth16::prepare_verifier(loaded->key->verification_key()));
    return std::shared_ptr<const gpu::LoadedCircuit>(std::move(loaded));
  }
};

TEST_F(LostDevice, DrainsTheServiceWhoseProcessEndsWithStatusThreeAndSaysWhy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process: a forked one cannot use CUDA
  EXPECT_EXIT(lose_the_device(), testing::ExitedWithCode(3),
              "penstock-gpu: .*the device was lost: .*(IllegalAddress|illegal)");
}

}  // namespace
}  // namespace penstock::test
