// Leases of slabs: granted, repeated, expired, abandoned, fenced.
#include "tests/unit/gpu/core_rig.hpp"

namespace penstock::gpu::tests {
namespace {

TEST(Staging, a_repeated_request_gets_the_same_grant_and_no_second_slab) {
  CoreRig rig;
  const auto first = rig.granted(CoreRig::request(CoreRig::ref(0)));
  const auto second = rig.granted(CoreRig::request(CoreRig::ref(0)));
  EXPECT_EQ(first.lease, second.lease);
  EXPECT_EQ(first.offset, second.offset);
  EXPECT_EQ(rig.used_slabs(), 1u);
}

TEST(Staging, a_repeated_commit_is_accepted_again_and_proved_once) {
  CoreRig rig;
  const auto grant = rig.stage(CoreRig::ref(0), 4);
  rig.from_worker(CoreRig::commit_of(grant));
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  rig.from_worker(CoreRig::commit_of(grant));
  rig.core().from_queue(wire::ResultCommitted{CoreRig::ref(0)});
  rig.from_worker(CoreRig::commit_of(grant));
  std::size_t accepted = 0;
  for (const auto& message : rig.to_worker) accepted += std::holds_alternative<wire::StageAccepted>(message);
  EXPECT_EQ(accepted, 4u);
  EXPECT_EQ(rig.device.faults.proofs, 1);
}

TEST(Staging, no_room_is_overloaded_and_retryable) {
  CoreRig rig({.arena_bytes = 8192});
  rig.granted(CoreRig::request(CoreRig::ref(0), 8192));
  rig.ask(CoreRig::request(CoreRig::ref(1), 4096));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::overloaded);
  EXPECT_TRUE(rig.refusal().retryable);
}

TEST(Staging, more_than_the_arena_is_refused_for_good_and_does_not_block) {
  CoreRig rig({.arena_bytes = 8192});
  rig.ask(CoreRig::request(CoreRig::ref(0), 8193));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::body_too_large);
  EXPECT_FALSE(rig.refusal().retryable);
  rig.granted(CoreRig::request(CoreRig::ref(1)));
}

TEST(Staging, an_abandoned_lease_is_wiped_and_free) {
  CoreRig rig;
  const auto grant = rig.granted(CoreRig::request(CoreRig::ref(0)));
  rig.write(grant, 7);
  rig.from_worker(wire::StageAbandon{grant.partition, grant.lease});
  EXPECT_TRUE(rig.slab_is_wiped(grant));
  EXPECT_EQ(rig.used_slabs(), 0u);
}

TEST(Staging, an_expired_lease_is_wiped_and_free) {
  CoreRig rig;
  const auto grant = rig.granted(CoreRig::request(CoreRig::ref(0)));
  rig.write(grant, 7);
  rig.clock.advance(31s);
  rig.core().tick();
  EXPECT_TRUE(rig.slab_is_wiped(grant));
  EXPECT_EQ(rig.used_slabs(), 0u);
}

TEST(Staging, a_stalled_worker_that_wakes_after_its_slab_was_leased_again_is_fenced_off) {
  CoreRig rig({.arena_bytes = 8192});
  const auto old = rig.granted(CoreRig::request(CoreRig::ref(0), 8192));
  rig.clock.advance(31s);
  rig.core().tick();
  const auto fresh = rig.granted(CoreRig::request(CoreRig::ref(1), 8192));
  EXPECT_EQ(old.offset, fresh.offset);
  rig.write(fresh, 4);
  rig.from_worker(CoreRig::commit_of(old));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::conflict);
  rig.from_worker(CoreRig::commit_of(fresh));
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  EXPECT_EQ(rig.sent<wire::PartitionProved>().front().partition.index, 1u);
  EXPECT_EQ(rig.device.faults.proofs, 1);
}

TEST(Staging, a_commit_of_more_than_was_leased_is_refused) {
  CoreRig rig;
  const auto grant = rig.granted(CoreRig::request(CoreRig::ref(0)));
  auto commit = CoreRig::commit_of(grant);
  commit.used_bytes = 4097;
  rig.from_worker(commit);
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::size_mismatch);
  EXPECT_EQ(rig.used_slabs(), 0u);
}

TEST(Staging, a_newer_attempt_takes_the_place_of_an_older_one_that_waits) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.close_gate();
  rig.stage(CoreRig::ref(5), 2);  // occupies the lane
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProgress>(1));
  rig.stage(CoreRig::ref(0, 1), 4);
  rig.stage(CoreRig::ref(0, 2), 6);
  EXPECT_EQ(rig.used_slabs(), 2u);
  rig.device.faults.open_gate();
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(2));
  EXPECT_EQ(rig.sent<wire::PartitionProved>().back().partition.token, FencingToken{2});
  EXPECT_EQ(rig.device.faults.proofs, 2);
}

TEST(Staging, a_late_success_of_an_older_attempt_is_still_reported) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.close_gate();
  rig.stage(CoreRig::ref(0, 1), 4);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProgress>(1));
  EXPECT_EQ(rig.core().staging().in_flight().size(), 1u);
  rig.device.faults.open_gate();
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  EXPECT_EQ(rig.sent<wire::PartitionProved>().front().partition.token, FencingToken{1});
}

}  // namespace
}  // namespace penstock::gpu::tests
