// What the service feeds the ledger with, and how it shows it.
#include <future>

#include "tests/unit/gpu/core_rig.hpp"

namespace penstock::gpu::tests {
namespace {

double metric(CoreRig& rig, const std::string& name) {
  rig.core().refresh_ledger();
  const std::string text = rig.metrics.text();
  const auto at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}
double busy(CoreRig& rig) {
  return metric(rig, "penstock_gpu_busy_seconds_total{device=\"cuda:0\"}");
}
double idle(CoreRig& rig, const std::string& reason) {
  return metric(rig, "penstock_gpu_idle_seconds_total{device=\"cuda:0\",reason=\"" + reason + "\"}");
}

TEST(GpuCoreLedger, busy_is_what_the_device_reports_and_the_rest_of_a_partitions_time_the_hosts) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.script({.transfer = 2s, .host = 1s, .kernels = 4s, .assembly = 500ms}, rig.clock);
  rig.clock.advance(3s);
  rig.stage(CoreRig::ref(0), 4);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  ASSERT_TRUE(rig.loop.run_until([&] { return busy(rig) > 0; }));
  rig.clock.advance(10s);
  EXPECT_DOUBLE_EQ(busy(rig), 4);
  EXPECT_DOUBLE_EQ(idle(rig, "transfer"), 2);
  EXPECT_DOUBLE_EQ(idle(rig, "host"), 1.5);
  EXPECT_DOUBLE_EQ(idle(rig, "no_partition"), 13);
}

TEST(GpuCoreLedger, a_partition_that_failed_was_on_the_device_too) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.script({.kernels = 4s}, rig.clock);
  rig.stage(CoreRig::ref(0), 5);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionFailed>(1));
  ASSERT_TRUE(rig.loop.run_until([&] { return busy(rig) > 0; }));
  EXPECT_DOUBLE_EQ(busy(rig), 4);
}

TEST(GpuCoreLedger, a_load_under_which_nothing_runs_is_circuit_load) {
  CoreRig rig;
  std::promise<void> begun, release;
  rig.before_load = [&, gate = release.get_future().share()] {
    begun.set_value();
    gate.wait();
  };
  rig.from_worker(CoreRig::request(CoreRig::ref(0)));
  begun.get_future().wait();
  rig.clock.advance(7s);
  release.set_value();
  ASSERT_TRUE(rig.loop.run_until([&] { return rig.core().staging().slabs().slabs[1] == 1; }));
  EXPECT_DOUBLE_EQ(idle(rig, "circuit_load"), 7);
}

TEST(GpuCoreLedger, a_lost_device_is_at_fault_from_then_on) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.lost = true;
  rig.stage(CoreRig::ref(0), 4);
  ASSERT_TRUE(rig.loop.run_until([&] { return rig.core().fault().has_value(); }));
  rig.clock.advance(9s);
  EXPECT_DOUBLE_EQ(idle(rig, "fault"), 9);
}

TEST(GpuCoreLedger, a_quarantined_device_is_at_fault) {
  CoreRig rig({.quarantine_after = 1});
  rig.device.faults.wrong_proofs = 1;
  rig.stage(CoreRig::ref(0), 4);
  ASSERT_TRUE(rig.loop.run_until([&] { return rig.core().fault().has_value(); }));
  rig.clock.advance(2s);
  EXPECT_DOUBLE_EQ(idle(rig, "fault"), 2);
}

}  // namespace
}  // namespace penstock::gpu::tests
