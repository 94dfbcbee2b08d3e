// Workers that vanish, return or outlive the queue; leases; what a restart takes up again.
#include "tests/unit/queue/scheduler_rig.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;

class SchedulerWorkers : public SchedulerRig {};

TEST_F(SchedulerWorkers, a_lost_synthesis_worker_gives_its_partition_to_another) {
  join_pair();
  add("a");
  const auto first = assign_one();
  tick(3s);
  beat("g/1");
  join_synthesis("s2");
  tick(2001ms);
  ASSERT_EQ(lost_, std::vector<Peer>{"s/1"});
  EXPECT_EQ(retries_.at(0).reason, "worker_lost");
  tick(500ms);
  const auto second = assign_one();
  EXPECT_EQ(second.synthesis, "s2/1");
  EXPECT_EQ(second.partition.attempt, 2u);
  EXPECT_GT(second.partition.token, first.partition.token);
}

TEST_F(SchedulerWorkers, a_staged_partition_outlives_its_synthesis_worker) {
  join_pair();
  add("a");
  const auto given = assign_one();
  stage(given);
  scheduler_.leave("s/1", Scheduler::Leaving::lost);
  collect();
  EXPECT_EQ(state_of("a"), PartitionState::staged);
  prove(given);
  EXPECT_EQ(finished("a").state, JobState::done);
}

TEST_F(SchedulerWorkers, a_lost_gpu_service_costs_its_staged_partitions_only) {
  join_gpu("g1");
  join_gpu("g2");
  join_synthesis("s", 4);
  add("a", 4);
  auto given = assign();
  for (const auto& one : given) stage(one);
  scheduler_.leave("g1/1", Scheduler::Leaving::lost);
  collect();
  for (std::uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(state_of("a", i),
              given[i].gpu.name.text() == "g1" ? PartitionState::queued : PartitionState::staged);
  tick(500ms);
  const auto again = assign();
  EXPECT_EQ(again.size(), 2u);
  for (const auto& one : again) EXPECT_EQ(one.gpu.name.text(), "g2");
}

TEST_F(SchedulerWorkers, a_lost_gpu_service_takes_the_synthesis_for_it_along) {
  join_pair();
  add("a");
  const auto given = assign_one();
  scheduler_.leave("g/1", Scheduler::Leaving::lost);
  collect();
  EXPECT_EQ(state_of("a"), PartitionState::queued);
  ASSERT_EQ(cancellations_.size(), 1u);
  EXPECT_EQ(cancellations_[0].peer, "s/1");
  EXPECT_EQ(cancellations_[0].partition.token, given.partition.token);
}

TEST_F(SchedulerWorkers, a_new_boot_under_the_same_name_replaces_the_old_at_once) {
  join_pair();
  add("a");
  const auto given = assign_one();
  join_synthesis("s", 1, "2");
  EXPECT_EQ(scheduler_.workers().all().size(), 2u);
  tick(500ms);
  const auto again = assign_one();
  EXPECT_EQ(again.synthesis, "s/2");
  EXPECT_GT(again.partition.token, given.partition.token);
}

TEST_F(SchedulerWorkers, the_same_boot_may_reconnect_and_keeps_what_it_holds) {
  join_pair();
  add("a", 2);
  const auto given = assign_one();
  join_synthesis("s");
  EXPECT_TRUE(assign().empty());
  stage(given);
  EXPECT_EQ(assign().size(), 1u);
}

TEST_F(SchedulerWorkers, a_late_success_of_a_lost_worker_is_used_and_the_new_attempt_is_cancelled) {
  join_pair();
  add("a");
  const auto first = assign_one();
  stage(first);
  scheduler_.leave("g/1", Scheduler::Leaving::lost);
  collect();
  join_gpu("g", "2");
  tick(500ms);
  const auto second = assign_one();
  cancellations_.clear();
  prove(first);
  EXPECT_EQ(finished("a").state, JobState::done);
  std::set<Peer> told;
  for (const auto& notice : cancellations_) {
    EXPECT_EQ(notice.partition.token, second.partition.token);
    told.insert(notice.peer);
  }
  EXPECT_EQ(told, (std::set<Peer>{"s/1", "g/2"}));
  prove(second);  // the cancellation came too late: nothing is proved twice to the client
  EXPECT_EQ(count_committed<PartitionEnded>(), 1u);
}

TEST_F(SchedulerWorkers, a_late_success_is_used_while_the_partition_waits_for_its_retry) {
  join_pair();
  add("a");
  const auto given = assign_one();
  fail("s/1", given, ErrorCode::internal, Blame::worker);
  prove(given);
  EXPECT_EQ(finished("a").state, JobState::done);
  tick(1h);
  EXPECT_TRUE(assign().empty());
}

TEST_F(SchedulerWorkers, a_lease_that_nobody_confirms_expires) {
  join_pair();
  add("a");
  const auto given = assign_one();
  for (int second = 0; second < 15; ++second) {
    tick(1s);
    beat("s/1");
    beat("g/1");
  }
  EXPECT_EQ(state_of("a"), PartitionState::synthesis);
  tick(1s);
  EXPECT_EQ(state_of("a"), PartitionState::queued);
  EXPECT_EQ(retries_.at(0).reason, "lease_expired");
  beat("s/1");
  beat("g/1");
  tick(500ms);
  EXPECT_GT(assign_one().partition.token, given.partition.token);
}

TEST_F(SchedulerWorkers, a_heartbeat_that_names_the_partition_keeps_its_lease) {
  join_pair();
  add("a");
  const auto given = assign_one();
  for (int second = 0; second < 120; ++second) {
    tick(1s);
    beat("s/1", {given.partition});
    beat("g/1");
  }
  EXPECT_EQ(state_of("a"), PartitionState::synthesis);
  EXPECT_TRUE(retries_.empty());
}

TEST_F(SchedulerWorkers, a_partition_that_kills_its_workers_ends) {
  join_gpu();
  add("a");
  for (int boot = 1; boot <= 12; ++boot) {
    join_synthesis("s", 1, std::to_string(boot));
    beat("g/1");
    ASSERT_EQ(assign().size(), 1u) << boot;
    scheduler_.leave("s/" + std::to_string(boot), Scheduler::Leaving::lost);
    collect();
    for (int i = 0; i < 31; ++i) {
      tick(1s);
      beat("g/1");
    }
  }
  EXPECT_EQ(finished("a").partitions[0].end.error->code, ErrorCode::device_unavailable);
}

TEST_F(SchedulerWorkers, a_goodbye_costs_no_attempt_budget) {
  join_pair();
  add("a");
  assign_one();
  scheduler_.leave("s/1", Scheduler::Leaving::goodbye);
  collect();
  EXPECT_EQ(retries_.at(0).reason, "worker_left");
  join_synthesis("s2");
  tick(500ms);
  EXPECT_EQ(assign_one().partition.attempt, 2u);
}

TEST_F(SchedulerWorkers, a_credit_that_the_worker_never_gives_back_is_not_lost_for_ever) {
  join_pair();
  add("a");
  add("b");
  assign_one();
  ASSERT_TRUE(scheduler_.cancel(JobId("a")).ok());
  for (int second = 0; second < 17; ++second) {
    tick(1s);
    beat("s/1");
    beat("g/1");
  }
  EXPECT_EQ(assign_one().partition.job.text(), "b");
}

TEST_F(SchedulerWorkers, a_restart_queues_what_was_leased_again_and_keeps_what_was_done) {
  auto record = job("a", 3);
  record.state = JobState::running;
  record.partitions[0].state = PartitionState::done;
  record.partitions[0].end = {.state = PartitionState::done, .proof_json = "{}", .public_json = "[]"};
  record.partitions[1].state = PartitionState::synthesis;
  record.partitions[1].attempts = 1;
  join_pair(5);
  add(record);
  const auto given = assign();
  ASSERT_EQ(given.size(), 2u);
  EXPECT_EQ(given[0].partition.index, 1u);
  EXPECT_EQ(given[0].partition.attempt, 2u);
  for (const auto& one : given) prove(one);
  EXPECT_EQ(finished("a").state, JobState::done);
}

TEST_F(SchedulerWorkers, a_recovered_job_whose_partitions_had_all_ended_is_closed) {
  auto record = job("a", 1);
  record.partitions[0].state = PartitionState::failed;
  add(record);
  EXPECT_EQ(finished("a").state, JobState::failed);
}

TEST_F(SchedulerWorkers, a_lease_that_was_taken_back_is_not_given_back_by_a_crossing_heartbeat) {
  join_pair(2);
  add("a");
  const auto given = assign_one();
  scheduler_.leave("g/1", Scheduler::Leaving::lost);
  collect();
  beat("s/1", {given.partition});  // sent before our cancellation arrived
  EXPECT_EQ(state_of("a"), PartitionState::queued);
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 1u) << "but it is still at work";
  fail("s/1", given, ErrorCode::cancelled, Blame::input);
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 2u);
  EXPECT_EQ(state_of("a"), PartitionState::queued);
}

TEST_F(SchedulerWorkers, a_worker_stopped_by_others_costs_no_attempt) {
  join_pair();
  add("a");
  fail("s/1", assign_one(), ErrorCode::cancelled, Blame::input);
  EXPECT_EQ(state_of("a"), PartitionState::queued);
  tick(500ms);
  prove(assign_one());
  EXPECT_EQ(finished("a").state, JobState::done);
}

TEST_F(SchedulerWorkers, a_result_that_waits_for_the_ledger_is_neither_cancelled_nor_load) {
  join_pair();
  add("a");
  const auto given = assign_one();
  hold_commits_ = true;
  prove(given);
  beat("g/1", {given.partition});
  EXPECT_TRUE(cancellations_.empty());
  EXPECT_TRUE(scheduler_.workers().all().at("g/1").holds.empty());
  commit();
  EXPECT_EQ(acknowledged_.size(), 1u);
}

class SchedulerRecovery : public SchedulerRig {
 protected:
  static SchedulerOptions options() {
    SchedulerOptions options = test_options();
    options.recovery_grace = 7s;
    return options;
  }
  SchedulerRecovery() : SchedulerRig(options()) {}
  JobRecord leased_before() {
    auto record = job("a", 1);
    record.partitions[0].state = PartitionState::synthesis;
    record.partitions[0].attempts = 1;
    return record;
  }
};

TEST_F(SchedulerRecovery, a_worker_that_still_works_on_a_partition_keeps_it) {
  add(leased_before());
  join_pair(2);
  EXPECT_TRUE(assign().empty());
  const wire::PartitionRef old{.job = JobId("a"), .index = 0, .attempt = 1, .token = FencingToken{77}};
  beat("s/1", {old});
  EXPECT_EQ(state_of("a"), PartitionState::synthesis);
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 1u);
  scheduler_.staged("s/1", {.partition = old, .gpu = Incarnation("1"), .phases = {}});
  EXPECT_EQ(state_of("a"), PartitionState::staged);
  scheduler_.leave("g/1", Scheduler::Leaving::lost);  // the route was learnt from the report
  EXPECT_EQ(state_of("a"), PartitionState::queued);
}

TEST_F(SchedulerRecovery, a_gpu_service_that_still_holds_a_partition_keeps_it) {
  add(leased_before());
  join_pair();
  const wire::PartitionRef old{.job = JobId("a"), .index = 0, .attempt = 1, .token = FencingToken{77}};
  beat("g/1", {old});
  EXPECT_EQ(state_of("a"), PartitionState::staged);
}

TEST_F(SchedulerRecovery, after_the_grace_somebody_else_gets_it) {
  add(leased_before());
  join_pair();
  tick(4s);
  beat("s/1");
  beat("g/1");
  EXPECT_TRUE(assign().empty());
  tick(3s);
  EXPECT_EQ(assign_one().partition.attempt, 2u);
}

TEST_F(SchedulerRecovery, work_that_nobody_waits_for_is_cancelled) {
  join_pair();
  beat("s/1", {{.job = JobId("ghost"), .index = 0, .attempt = 1, .token = FencingToken{77}}});
  ASSERT_EQ(cancellations_.size(), 1u);
  EXPECT_EQ(cancellations_[0].peer, "s/1");
}

}  // namespace
}  // namespace penstock::queue::test
