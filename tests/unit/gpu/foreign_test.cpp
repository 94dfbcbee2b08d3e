// Partitions of foreign synthesizers: their results go back to them, and to nobody else.
#include "tests/unit/gpu/core_rig.hpp"

namespace penstock::gpu::tests {
namespace {

wire::StageRequest foreign(std::uint32_t index, std::uint64_t token = 1) {
  auto request = CoreRig::request(CoreRig::ref(index, token, "foreign"));
  request.result_to = wire::ResultTo::worker;
  return request;
}

template <class M>
std::size_t count_of(const std::vector<wire::Message>& messages) {
  return static_cast<std::size_t>(std::count_if(messages.begin(), messages.end(), [](const auto& message) {
    return std::holds_alternative<M>(message);
  }));
}

/// Staged with a right witness and proved; the rig's worker holds the result.
wire::PartitionRef prove(CoreRig& rig, std::uint32_t index) {
  const auto grant = rig.granted(foreign(index));
  rig.write(grant, 4);
  rig.from_worker(CoreRig::commit_of(grant));
  const std::size_t before = count_of<wire::PartitionProved>(rig.to_worker);
  EXPECT_TRUE(rig.loop.run_until([&] { return count_of<wire::PartitionProved>(rig.to_worker) > before; }));
  return grant.partition;
}

TEST(Foreign, the_result_goes_to_the_worker_and_the_queue_hears_nothing) {
  CoreRig rig;
  const auto ref = prove(rig, 0);
  EXPECT_TRUE(rig.to_queue.empty());
  EXPECT_TRUE(rig.core().staging().in_flight().empty()) << "the queue would not know it";
  EXPECT_EQ(rig.core().staging().held(), 1u) << "but it takes a credit";
  EXPECT_TRUE(rig.core().staging().unconfirmed().empty());
  rig.from_worker(wire::ResultCommitted{ref});
  EXPECT_TRUE(rig.core().staging().idle());
}

TEST(Foreign, a_result_is_repeated_until_its_worker_confirms_it) {
  CoreRig rig;
  const auto ref = prove(rig, 0);
  rig.clock.advance(6s);
  rig.core().tick();
  EXPECT_EQ(count_of<wire::PartitionProved>(rig.to_worker), 2u);
  rig.from_worker(wire::ResultCommitted{ref});
  rig.clock.advance(6s);
  rig.core().tick();
  EXPECT_EQ(count_of<wire::PartitionProved>(rig.to_worker), 2u);
}

TEST(Foreign, a_result_that_nobody_fetches_is_let_go) {
  CoreRig rig;
  prove(rig, 0);
  rig.clock.advance(61s);
  rig.core().tick();
  EXPECT_TRUE(rig.core().staging().idle());
}

TEST(Foreign, neither_the_queue_nor_another_worker_confirms_or_cancels_it) {
  CoreRig rig;
  const auto ref = prove(rig, 0);
  rig.core().from_worker("other/y", wire::ResultCommitted{ref});
  rig.core().from_worker("other/y", wire::CancelPartition{ref});
  EXPECT_FALSE(rig.core().staging().idle());
}

TEST(Foreign, its_worker_cancels_it_while_it_is_proved) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.close_gate();
  const auto grant = rig.granted(foreign(0));
  rig.write(grant, 4);
  rig.from_worker(CoreRig::commit_of(grant));
  rig.from_worker(wire::CancelPartition{grant.partition});
  rig.device.faults.open_gate();
  ASSERT_TRUE(rig.loop.run_until([&] { return rig.core().staging().idle(); }));
  EXPECT_EQ(count_of<wire::PartitionProved>(rig.to_worker), 0u);
  EXPECT_EQ(rig.used_slabs(), 0u);
}

TEST(Foreign, a_partition_of_the_queue_is_not_taken_over) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.close_gate();
  rig.stage(CoreRig::ref(0, 1, "foreign"), 4);
  rig.ask(foreign(0));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::conflict);
  rig.ask(foreign(0, 2));  // a newer token does not supersede another's
  rig.device.faults.open_gate();
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
}

}  // namespace
}  // namespace penstock::gpu::tests
