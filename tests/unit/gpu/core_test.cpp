// What happens to a partition: proved, refused, failed, lost, repeated.
#include "tests/unit/gpu/core_rig.hpp"

namespace penstock::gpu::tests {
namespace {

TEST(GpuCore, a_staged_partition_is_proved_verified_and_reported_with_its_phases) {
  CoreRig rig;
  rig.stage(CoreRig::ref(0), 4);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  const auto proved = rig.sent<wire::PartitionProved>().front();
  EXPECT_EQ(proved.public_json, "[\n \"4\"\n]");
  EXPECT_EQ(proved.device, "cuda:0");
  for (const Phase phase : {Phase::circuit_wait, Phase::lane_wait, Phase::spmv, Phase::verify, Phase::result})
    EXPECT_TRUE(proved.phases.get(phase).has_value()) << name(phase);
  const auto progress = rig.sent<wire::PartitionProgress>();
  ASSERT_EQ(progress.size(), 1u);
  EXPECT_EQ(progress.front().stage, wire::PartitionStage::proving);
}

TEST(GpuCore, what_synthesis_measured_is_reported_but_counted_by_synthesis_alone) {
  CoreRig rig;
  const auto grant = rig.granted(CoreRig::request(CoreRig::ref(0)));
  rig.write(grant, 4);
  auto commit = CoreRig::commit_of(grant);
  commit.phases.add(Phase::witness, 5ms);
  rig.from_worker(commit);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  EXPECT_EQ(rig.sent<wire::PartitionProved>().front().phases.get(Phase::witness), 5ms);
  EXPECT_EQ(rig.metrics.text().find("phase=\"witness\""), std::string::npos);
  EXPECT_NE(rig.metrics.text().find("phase=\"verify\""), std::string::npos);
}

TEST(GpuCore, the_slab_is_wiped_and_free_once_the_proof_is_made) {
  CoreRig rig;
  const auto grant = rig.stage(CoreRig::ref(0), 4);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  EXPECT_TRUE(rig.slab_is_wiped(grant));
  EXPECT_EQ(rig.used_slabs(), 0u);
}

TEST(GpuCore, a_wrong_proof_never_leaves_is_proved_again_on_the_host_and_counted) {
  CoreRig rig;
  rig.device.faults.wrong_proofs = 1;
  rig.stage(CoreRig::ref(0), 4);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  EXPECT_EQ(rig.sent<wire::PartitionProved>().front().public_json, "[\n \"4\"\n]");
  EXPECT_EQ(rig.opinion.asked, 1);
  EXPECT_NE(rig.metrics.text().find("penstock_self_verify_failures_total{device=\"cuda:0\"} 1"),
            std::string::npos);
  EXPECT_FALSE(rig.core().fault().has_value());
}

TEST(GpuCore, a_device_that_errs_too_often_is_quarantined) {
  CoreRig rig({.quarantine_after = 2});
  rig.device.faults.wrong_proofs = 2;
  rig.stage(CoreRig::ref(0), 4);
  rig.stage(CoreRig::ref(1), 6);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(2));
  ASSERT_TRUE(rig.core().fault().has_value());
  EXPECT_TRUE(rig.core().quarantined());
  EXPECT_EQ(exit_status(rig.core().fault()->code), 3);
  rig.ask(CoreRig::request(CoreRig::ref(2)));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::draining);
}

TEST(GpuCore, an_unsatisfied_witness_fails_by_name_and_moves_no_device_counter) {
  CoreRig rig;
  rig.stage(CoreRig::ref(0), 5);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionFailed>(1));
  const auto failed = rig.sent<wire::PartitionFailed>().front();
  EXPECT_EQ(failed.error.code, ErrorCode::witness_unsatisfied);
  EXPECT_FALSE(failed.retryable);
  const std::string metrics = rig.metrics.text();
  EXPECT_EQ(metrics.find("self_verify_failures_total{device=\"cuda:0\"} 1"), std::string::npos);
  EXPECT_FALSE(rig.core().fault().has_value());
}

TEST(GpuCore, out_of_memory_fails_that_partition_only_and_may_be_retried) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.out_of_memory = 1;
  rig.stage(CoreRig::ref(0), 4);
  rig.stage(CoreRig::ref(1), 6);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionFailed>(1));
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  const auto failed = rig.sent<wire::PartitionFailed>().front();
  EXPECT_EQ(failed.partition.index, 0u);
  EXPECT_EQ(failed.error.code, ErrorCode::out_of_memory);
  EXPECT_TRUE(failed.retryable);
  EXPECT_EQ(rig.used_slabs(), 0u);
}

TEST(GpuCore, a_device_lost_while_a_circuit_is_loaded_drains_the_service_too) {
  CoreRig rig;
  rig.before_load = [] { throw groth16::DeviceLost("an illegal address"); };
  rig.ask(CoreRig::request(CoreRig::ref(0)));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::device_unavailable);
  const auto fault = rig.core().fault();
  ASSERT_TRUE(fault.has_value());
  EXPECT_NE(fault->what.find("the device was lost: an illegal address"), std::string::npos);
  EXPECT_EQ(exit_status(fault->code), 3);
  EXPECT_TRUE(rig.core().drained());
}

TEST(GpuCore, a_lost_device_drains_the_service_and_asks_for_exit_status_three) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.lost = true;
  rig.stage(CoreRig::ref(0), 4);
  ASSERT_TRUE(rig.loop.run_until([&] { return rig.core().fault().has_value() && rig.core().drained(); }));
  EXPECT_EQ(exit_status(rig.core().fault()->code), 3);
  EXPECT_FALSE(rig.core().quarantined()) << "a device that was lost is worth another start";
  EXPECT_TRUE(rig.sent<wire::PartitionProved>().empty());
  EXPECT_TRUE(rig.sent<wire::PartitionFailed>().empty()) << "the queue re-leases what it held";
  rig.ask(CoreRig::request(CoreRig::ref(1)));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::draining);
}

TEST(GpuCore, results_are_kept_until_committed_and_sent_again_after_a_welcome) {
  CoreRig rig;
  rig.stage(CoreRig::ref(0), 4);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  rig.welcome();
  EXPECT_EQ(rig.sent<wire::PartitionProved>().size(), 2u);
  EXPECT_EQ(rig.core().staging().in_flight().size(), 1u);
  rig.core().from_queue(wire::ResultCommitted{CoreRig::ref(0)});
  rig.core().from_queue(wire::ResultCommitted{CoreRig::ref(0)});
  rig.welcome();
  EXPECT_EQ(rig.sent<wire::PartitionProved>().size(), 2u);
  EXPECT_TRUE(rig.core().staging().idle());
}

TEST(GpuCore, a_result_that_is_not_committed_is_sent_again_after_a_while) {
  CoreRig rig;
  rig.stage(CoreRig::ref(0), 4);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(1));
  rig.clock.advance(4s);
  rig.core().tick();
  EXPECT_EQ(rig.sent<wire::PartitionProved>().size(), 1u);
  rig.clock.advance(2s);
  rig.core().tick();
  EXPECT_EQ(rig.sent<wire::PartitionProved>().size(), 2u);
}

TEST(GpuCore, drain_finishes_what_is_staged_and_grants_nothing_new) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.close_gate();
  rig.stage(CoreRig::ref(0), 4);
  rig.stage(CoreRig::ref(1), 6);
  rig.core().from_queue(wire::Drain{});
  rig.ask(CoreRig::request(CoreRig::ref(2)));
  EXPECT_EQ(rig.refusal().error.code, ErrorCode::draining);
  EXPECT_TRUE(rig.refusal().retryable);
  EXPECT_FALSE(rig.core().drained());
  rig.device.faults.open_gate();
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(2));
  EXPECT_FALSE(rig.core().drained()) << "the queue has not committed the results";
  rig.core().from_queue(wire::ResultCommitted{CoreRig::ref(0)});
  rig.core().from_queue(wire::ResultCommitted{CoreRig::ref(1)});
  EXPECT_TRUE(rig.core().drained());
}

TEST(GpuCore, a_cancelled_partition_is_not_proved_or_its_proof_thrown_away) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.close_gate();
  rig.stage(CoreRig::ref(0), 4);
  rig.stage(CoreRig::ref(1), 6);
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProgress>(1));
  rig.core().from_queue(wire::CancelPartition{CoreRig::ref(0)});  // on the lane
  rig.core().from_queue(wire::CancelPartition{CoreRig::ref(1)});  // waiting
  EXPECT_EQ(rig.used_slabs(), 1u);
  rig.device.faults.open_gate();
  ASSERT_TRUE(rig.loop.run_until([&] { return rig.core().staging().idle(); }));
  EXPECT_TRUE(rig.sent<wire::PartitionProved>().empty());
  EXPECT_EQ(rig.device.faults.proofs, 1);
}

TEST(GpuCore, urgent_partitions_go_first_then_older_jobs_then_lower_indices) {
  CoreRig rig({.lanes = 1});
  rig.device.faults.close_gate();
  rig.stage(CoreRig::ref(9, 1, "job-0"), 2);  // occupies the lane
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProgress>(1));
  const auto stage = [&](const char* job, std::uint32_t index, wire::Priority priority) {
    auto request = CoreRig::request(CoreRig::ref(index, 1, job));
    request.priority = priority;
    const auto grant = rig.granted(request);
    rig.write(grant, 2);
    rig.from_worker(CoreRig::commit_of(grant));
  };
  stage("job-2", 0, wire::Priority::normal);
  stage("job-1", 1, wire::Priority::normal);
  stage("job-1", 0, wire::Priority::normal);
  stage("job-3", 0, wire::Priority::high);
  rig.device.faults.open_gate();
  ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(5));
  std::vector<std::string> order;
  for (const auto& one : rig.sent<wire::PartitionProgress>())
    order.push_back(one.partition.job.text() + "/" + std::to_string(one.partition.index));
  EXPECT_EQ(order, (std::vector<std::string>{"job-0/9", "job-3/0", "job-1/0", "job-1/1", "job-2/0"}));
}

TEST(GpuCore, a_thousand_partitions_leave_nothing_behind) {
  CoreRig rig;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    rig.stage(CoreRig::ref(i), 4);
    ASSERT_TRUE(rig.wait_sent<wire::PartitionProved>(i + 1));
    rig.core().from_queue(wire::ResultCommitted{CoreRig::ref(i)});
  }
  EXPECT_TRUE(rig.core().staging().idle());
  EXPECT_EQ(rig.used_slabs(), 0u);
  EXPECT_EQ(rig.loads, 1);
}

}  // namespace
}  // namespace penstock::gpu::tests
