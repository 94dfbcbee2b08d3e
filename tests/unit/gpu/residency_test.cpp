// Circuits on the device: loaded on first use, evicted, refused.
#include <future>

#include "tests/unit/gpu/core_rig.hpp"

namespace penstock::gpu::tests {
namespace {

TEST(CircuitResidency, a_circuit_is_loaded_on_first_use_and_stays) {
  CoreRig rig;
  rig.granted(CoreRig::request(CoreRig::ref(0)));
  rig.granted(CoreRig::request(CoreRig::ref(1)));
  EXPECT_EQ(rig.loads, 1);
}

TEST(CircuitResidency, preload_loads_before_the_first_request) {
  CoreRig rig;
  rig.core().from_queue(wire::CircuitOffer{CoreRig::circuit_ref("big", false), true});
  ASSERT_TRUE(rig.loop.run_until([&] { return rig.loads == 1; }));
}

TEST(CircuitResidency, an_unknown_circuit_is_refused_but_may_be_offered_later) {
  CoreRig rig;
  rig.ask(CoreRig::request(CoreRig::ref(0), 4096, "stranger"));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::circuit_unknown);
  EXPECT_TRUE(rig.refusal().retryable);
}

TEST(CircuitResidency, an_insecure_key_is_refused_unless_allowed) {
  CoreRig strict;
  strict.offer("dev", true);
  strict.ask(CoreRig::request(CoreRig::ref(0), 4096, "dev"));
  EXPECT_EQ(strict.refusal().error.code, ErrorCode::insecure_key);
  EXPECT_FALSE(strict.refusal().retryable);
  EXPECT_EQ(strict.loads, 0);
  CoreRig lax({.allow_insecure_keys = true});
  lax.offer("dev", true);
  lax.granted(CoreRig::request(CoreRig::ref(0), 4096, "dev"));
}

TEST(CircuitResidency, the_least_recently_used_idle_circuit_is_evicted_beyond_the_budget) {
  CoreRig rig({.budget_bytes = 250});
  for (const char* name : {"a", "b", "c"}) rig.offer(name, false);
  const auto use = [&](std::uint32_t index, const char* circuit) {
    const auto grant = rig.granted(CoreRig::request(CoreRig::ref(index), 4096, circuit));
    rig.from_worker(wire::StageAbandon{grant.partition, grant.lease});
  };
  use(0, "a");
  use(1, "b");
  use(2, "a");  // b is now the least recently used
  use(3, "c");
  EXPECT_EQ(rig.loads, 3);
  use(4, "a");
  EXPECT_EQ(rig.loads, 3);
  use(5, "b");
  EXPECT_EQ(rig.loads, 4);
  EXPECT_NE(rig.metrics.text().find("circuit_evictions_total{reason=\"budget\"} 2"), std::string::npos);
}

TEST(CircuitResidency, a_load_without_memory_is_tried_again_after_an_eviction) {
  CoreRig rig;
  rig.offer("big", false);
  const auto grant = rig.granted(CoreRig::request(CoreRig::ref(0)));
  rig.from_worker(wire::StageAbandon{grant.partition, grant.lease});
  rig.failing_loads = 1;
  rig.granted(CoreRig::request(CoreRig::ref(1), 4096, "big"));
  EXPECT_EQ(rig.loads, 3);
}

TEST(CircuitResidency, a_circuit_that_cannot_be_loaded_refuses_those_that_wait_for_it) {
  CoreRig rig;
  rig.failing_loads = 1;
  rig.ask(CoreRig::request(CoreRig::ref(0)));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::out_of_memory);
  EXPECT_TRUE(rig.refusal().retryable);
  rig.granted(CoreRig::request(CoreRig::ref(1)));
}

TEST(CircuitResidency, a_request_waits_for_its_circuit_no_longer_than_the_limit) {
  CoreRig rig;
  std::promise<void> release;
  rig.before_load = [gate = release.get_future().share()] { gate.wait(); };
  rig.from_worker(CoreRig::request(CoreRig::ref(0)));
  rig.clock.advance(61s);
  rig.core().tick();
  ASSERT_EQ(rig.to_worker.size(), 1u);
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::overloaded);
  EXPECT_TRUE(rig.refusal().retryable);
  release.set_value();
}

TEST(CircuitResidency, other_circuits_are_proved_while_one_is_loaded) {
  CoreRig rig;
  rig.granted(CoreRig::request(CoreRig::ref(0)));
  rig.offer("big", false);
  std::promise<void> release;
  rig.before_load = [gate = release.get_future().share()] { gate.wait(); };
  rig.from_worker(CoreRig::request(CoreRig::ref(1), 4096, "big"));
  rig.stage(CoreRig::ref(2), 4);
  EXPECT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  release.set_value();
}

// Fault: the loader went on with the next circuit on the device that was lost.
TEST(CircuitResidency, nothing_is_loaded_after_the_device_was_lost) {
  CoreRig rig;
  rig.offer("big", false);
  std::promise<void> release, ended;
  std::atomic<int> tried = 0;
  rig.before_load = [&, gate = release.get_future().share()] {
    gate.wait();
    if (++tried == 1) ended.set_value_at_thread_exit();
    throw groth16::DeviceLost("an illegal address");
  };
  rig.from_worker(CoreRig::request(CoreRig::ref(0)));
  rig.from_worker(CoreRig::request(CoreRig::ref(1), 4096, "big"));
  release.set_value();
  EXPECT_EQ(ended.get_future().wait_for(10s), std::future_status::ready) << "the loader lives on";
  EXPECT_EQ(tried, 1);
  ASSERT_TRUE(rig.loop.run_until([&] { return rig.to_worker.size() == 2; })) << "both are answered";
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::draining);
}

TEST(CircuitResidency, an_evicted_circuit_leaves_when_its_last_partition_is_done) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.close_gate();
  rig.stage(CoreRig::ref(0), 4);
  rig.core().from_queue(wire::CircuitWithdrawn{CircuitId("id-mul"), false});
  rig.device.faults.open_gate();
  EXPECT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  rig.granted(CoreRig::request(CoreRig::ref(1)));
  EXPECT_EQ(rig.loads, 2);
  rig.core().from_queue(wire::CircuitWithdrawn{CircuitId("id-mul"), true});
  rig.ask(CoreRig::request(CoreRig::ref(2)));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::circuit_unknown);
}

TEST(CircuitResidency, a_circuit_removed_while_the_queue_was_away_is_forgotten) {
  CoreRig rig;
  rig.offer("old", false);
  const auto grant = rig.granted(CoreRig::request(CoreRig::ref(0), 4096, "old"));
  rig.from_worker(wire::StageAbandon{grant.partition, grant.lease});
  rig.welcome();  // names mul only
  rig.ask(CoreRig::request(CoreRig::ref(1), 4096, "old"));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::circuit_unknown);
  rig.granted(CoreRig::request(CoreRig::ref(2)));
}

}  // namespace
}  // namespace penstock::gpu::tests
