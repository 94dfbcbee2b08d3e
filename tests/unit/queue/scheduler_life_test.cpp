// A partition's life: results, failures, retries, lost workers, cancellation, deadlines, recovery.
#include "tests/unit/queue/scheduler_rig.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;

class SchedulerLife : public SchedulerRig {
 protected:
  template <class T>
  std::size_t count_committed() const {
    std::size_t count = 0;
    for (const Change& change : committed_) count += std::holds_alternative<T>(change) ? 1 : 0;
    return count;
  }
};

TEST_F(SchedulerLife, a_job_runs_through_its_states) {
  join_pair();
  add("a");
  EXPECT_EQ(state_of("a"), PartitionState::queued);
  const auto given = assign_one();
  EXPECT_EQ(state_of("a"), PartitionState::synthesis);
  EXPECT_EQ(scheduler_.find(JobId("a"))->state, JobState::running);
  stage(given);
  EXPECT_EQ(state_of("a"), PartitionState::staged);
  scheduler_.progress("g/1", {.partition = given.partition, .stage = wire::PartitionStage::proving});
  EXPECT_EQ(state_of("a"), PartitionState::proving);
  prove(given, R"(["7"])");
  EXPECT_FALSE(scheduler_.find(JobId("a")));
  const JobRecord record = finished("a");
  EXPECT_EQ(record.state, JobState::done);
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.partitions[0].end.public_json, R"(["7"])");
  EXPECT_EQ(record.partitions[0].attempts, 1u);
  EXPECT_EQ(acknowledged_.size(), 1u);
  EXPECT_EQ(acknowledged_[0].peer, "g/1");
}

TEST_F(SchedulerLife, a_result_is_not_shown_before_the_ledger_holds_it) {
  join_pair();
  add("a");
  const auto given = assign_one();
  stage(given);
  hold_commits_ = true;
  prove(given);
  EXPECT_EQ(state_of("a"), PartitionState::staged);
  EXPECT_TRUE(acknowledged_.empty());
  EXPECT_FALSE(scheduler_.idle());
  prove(given);  // sent again before the commit: acknowledged too, ended once
  commit();
  EXPECT_EQ(finished("a").state, JobState::done);
  EXPECT_EQ(acknowledged_.size(), 2u);
  EXPECT_EQ(count_committed<PartitionEnded>(), 1u);
  EXPECT_TRUE(scheduler_.idle());
}

TEST_F(SchedulerLife, the_last_partition_and_the_job_end_in_one_batch) {
  join_pair(2);
  add("a", 2);
  const auto given = assign();
  hold_commits_ = true;
  prove(given[0]);
  prove(given[1]);
  ASSERT_EQ(uncommitted_.size(), 2u);
  EXPECT_EQ(uncommitted_[0].size(), 1u);
  ASSERT_EQ(uncommitted_[1].size(), 2u);
  EXPECT_TRUE(std::holds_alternative<JobEnded>(uncommitted_[1][1]));
}

TEST_F(SchedulerLife, a_result_for_an_unknown_job_is_acknowledged_and_forgotten) {
  join_pair();
  scheduler_.proved("g/1", {.partition = {.job = JobId("ghost")},
                            .proof_json = "{}",
                            .public_json = "[]",
                            .device = "cpu",
                            .phases = {}});
  collect();
  EXPECT_EQ(acknowledged_.size(), 1u);
  EXPECT_TRUE(committed_.empty());
}

TEST_F(SchedulerLife, the_phases_of_queue_and_workers_are_joined) {
  worker_phases_.add(Phase::witness, 30ms);
  join_gpu();
  add("a");
  clock_.advance(100ms);
  join_synthesis("s");
  const auto given = assign_one();
  stage(given);
  hold_commits_ = true;
  prove(given);
  clock_.advance(5ms);
  commit();
  const auto phases = finished("a").partitions[0].phases;
  EXPECT_EQ(phases.get(Phase::admit), 2ms);
  EXPECT_EQ(phases.get(Phase::queue_wait), 100ms);
  EXPECT_EQ(phases.get(Phase::witness), 30ms);
  EXPECT_EQ(phases.get(Phase::reply), 5ms);
  EXPECT_FALSE(phases.get(Phase::retry_wait));
}

TEST_F(SchedulerLife, a_retryable_failure_waits_longer_each_time_and_ends_after_three) {
  join_pair();
  add("a");
  fail("s/1", assign_one(), ErrorCode::internal, Blame::worker);
  EXPECT_EQ(state_of("a"), PartitionState::queued);
  tick(499ms);
  EXPECT_TRUE(assign().empty());
  tick(1ms);
  fail("s/1", assign_one(), ErrorCode::internal, Blame::worker);
  tick(999ms);
  EXPECT_TRUE(assign().empty());
  tick(1ms);
  const auto last = assign_one();
  EXPECT_EQ(last.partition.attempt, 3u);
  fail("s/1", last, ErrorCode::out_of_memory, Blame::worker);
  const auto record = finished("a");
  EXPECT_EQ(record.state, JobState::failed);
  EXPECT_EQ(record.partitions[0].end.error->code, ErrorCode::out_of_memory);
  EXPECT_EQ(record.partitions[0].phases.get(Phase::retry_wait), 1500ms);
  ASSERT_EQ(retries_.size(), 2u);
  EXPECT_EQ(retries_[0].reason, "internal");
}

TEST_F(SchedulerLife, a_failure_of_the_input_ends_the_partition_at_once) {
  join_pair();
  add("a");
  const auto given = assign_one();
  fail("s/1", given, ErrorCode::signal_missing, Blame::input);
  EXPECT_EQ(finished("a").partitions[0].end.error->code, ErrorCode::signal_missing);
  EXPECT_TRUE(retries_.empty());
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 1u);
}

// Fault 12: one bad partition fails the other nine.
TEST_F(SchedulerLife, one_bad_partition_does_not_fail_the_others) {
  join_pair(10);
  add("a", 10);
  const auto given = assign();
  fail("g/1", given[3], ErrorCode::witness_unsatisfied, Blame::input);
  EXPECT_EQ(scheduler_.find(JobId("a"))->state, JobState::running);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (i != 3) prove(given[i]);
  const auto record = finished("a");
  EXPECT_EQ(record.state, JobState::failed);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(record.partitions[i].state, i == 3 ? PartitionState::failed : PartitionState::done);
}

TEST_F(SchedulerLife, a_lost_synthesis_worker_gives_its_partition_to_another) {
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

TEST_F(SchedulerLife, a_staged_partition_outlives_its_synthesis_worker) {
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

TEST_F(SchedulerLife, a_lost_gpu_service_costs_its_staged_partitions_only) {
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

TEST_F(SchedulerLife, a_lost_gpu_service_takes_the_synthesis_for_it_along) {
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

TEST_F(SchedulerLife, a_new_boot_under_the_same_name_replaces_the_old_at_once) {
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

TEST_F(SchedulerLife, the_same_boot_may_reconnect_and_keeps_what_it_holds) {
  join_pair();
  add("a", 2);
  const auto given = assign_one();
  join_synthesis("s");
  EXPECT_TRUE(assign().empty());
  stage(given);
  EXPECT_EQ(assign().size(), 1u);
}

TEST_F(SchedulerLife, a_late_success_of_a_lost_worker_is_used_and_the_new_attempt_is_cancelled) {
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

TEST_F(SchedulerLife, a_late_success_is_used_while_the_partition_waits_for_its_retry) {
  join_pair();
  add("a");
  const auto given = assign_one();
  fail("s/1", given, ErrorCode::internal, Blame::worker);
  prove(given);
  EXPECT_EQ(finished("a").state, JobState::done);
  tick(1h);
  EXPECT_TRUE(assign().empty());
}

// Fault 4: a retry with the same request id mixes partitions of two attempts.
TEST_F(SchedulerLife, nothing_an_old_attempt_says_touches_the_new_one) {
  join_pair();
  add("a");
  const auto first = assign_one();
  fail("s/1", first, ErrorCode::internal, Blame::worker);
  tick(500ms);
  const auto second = assign_one();
  fail("s/1", first, ErrorCode::witness_unsatisfied, Blame::input);
  EXPECT_EQ(state_of("a"), PartitionState::synthesis);
  stage(first);
  scheduler_.progress("g/1", {.partition = first.partition, .stage = wire::PartitionStage::proving});
  EXPECT_EQ(state_of("a"), PartitionState::synthesis);
  // Nor does it free the new attempt's credit.
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 0u);
  stage(second);
  prove(second);
  EXPECT_EQ(finished("a").partitions[0].attempts, 2u);
}

TEST_F(SchedulerLife, reports_that_overtake_each_other_never_lead_backwards) {
  join_pair();
  add("a");
  const auto given = assign_one();
  scheduler_.progress("g/1", {.partition = given.partition, .stage = wire::PartitionStage::proving});
  EXPECT_EQ(state_of("a"), PartitionState::proving);
  stage(given);
  EXPECT_EQ(state_of("a"), PartitionState::proving);
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 1u);
}

TEST_F(SchedulerLife, a_result_before_the_staged_report_ends_the_partition_and_the_credit_follows) {
  join_pair();
  add("a");
  const auto given = assign_one();
  prove(given);
  EXPECT_EQ(finished("a").state, JobState::done);
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 0u);
  stage(given);
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 1u);
}

TEST_F(SchedulerLife, a_lease_that_nobody_confirms_expires) {
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

TEST_F(SchedulerLife, a_heartbeat_that_names_the_partition_keeps_its_lease) {
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

TEST_F(SchedulerLife, a_partition_that_kills_its_workers_ends) {
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

TEST_F(SchedulerLife, a_goodbye_costs_no_attempt_budget) {
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

TEST_F(SchedulerLife, back_pressure_never_fails_a_job) {
  join_pair();
  add("a");
  for (int i = 0; i < 30; ++i) {
    fail("s/1", assign_one(), i % 2 ? ErrorCode::overloaded : ErrorCode::draining, Blame::worker);
    tick(500ms);
    beat("s/1");
    beat("g/1");
  }
  prove(assign_one());
  EXPECT_EQ(finished("a").state, JobState::done);
}

TEST_F(SchedulerLife, an_input_that_cannot_be_read_fails_its_partition_and_frees_the_credit) {
  join_pair();
  add("a");
  const auto given = assign_one();
  scheduler_.unsendable(given.partition, Error{.code = ErrorCode::internal, .what = "no such file"},
                        Scheduler::Retry::no);
  collect();
  EXPECT_EQ(finished("a").state, JobState::failed);
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 1u);
}

TEST_F(SchedulerLife, cancel_works_in_every_state) {
  const std::vector<std::string> states = {"queued", "retry", "synthesis", "staged", "proving", "ending"};
  for (const std::string& state : states) {
    SCOPED_TRACE(state);
    join_pair(1);
    cancellations_.clear();
    add(state);
    Assignment given;
    if (state != "queued") given = assign_one();
    if (state == "retry") fail("s/1", given, ErrorCode::internal, Blame::worker);
    if (state == "staged" || state == "proving" || state == "ending") stage(given);
    if (state == "proving")
      scheduler_.progress("g/1", {.partition = given.partition, .stage = wire::PartitionStage::proving});
    if (state == "ending") {
      hold_commits_ = true;
      prove(given);
    }
    EXPECT_TRUE(scheduler_.cancel(JobId(state)).ok());
    collect();
    hold_commits_ = false;
    commit();
    const bool leased = state == "synthesis" || state == "staged" || state == "proving";
    EXPECT_EQ(!cancellations_.empty(), leased);
    // A result that is on its way into the ledger stands.
    EXPECT_EQ(finished(state).state, state == "ending" ? JobState::done : JobState::cancelled);
    if (leased) {
      acknowledged_.clear();
      prove(given);  // a result of a cancelled partition is acknowledged and dropped
      EXPECT_EQ(acknowledged_.size(), 1u);
      stage(given);
    }
    EXPECT_FALSE(scheduler_.cancel(JobId(state)).ok());
    EXPECT_EQ(depth_total(), 0u);
  }
}

TEST_F(SchedulerLife, a_cancelled_lease_keeps_its_credit_until_the_worker_lets_go) {
  join_pair();
  add("a");
  add("b");
  const auto given = assign_one();
  ASSERT_TRUE(scheduler_.cancel(JobId("a")).ok());
  EXPECT_TRUE(assign().empty());
  fail("s/1", given, ErrorCode::cancelled, Blame::input);
  EXPECT_EQ(assign_one().partition.job.text(), "b");
}

TEST_F(SchedulerLife, a_credit_that_the_worker_never_gives_back_is_not_lost_for_ever) {
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

TEST_F(SchedulerLife, cancelling_keeps_what_was_already_proved) {
  join_pair(2);
  add("a", 2);
  const auto given = assign();
  prove(given[0]);
  ASSERT_TRUE(scheduler_.cancel(JobId("a")).ok());
  collect();
  const auto record = finished("a");
  EXPECT_EQ(record.state, JobState::cancelled);
  EXPECT_EQ(record.partitions[0].state, PartitionState::done);
  EXPECT_EQ(record.partitions[1].state, PartitionState::cancelled);
  EXPECT_EQ(record.partitions[1].end.error->code, ErrorCode::cancelled);
}

TEST_F(SchedulerLife, a_deadline_fails_what_is_unfinished_and_tells_the_workers) {
  join_pair(1);
  auto record = job("a", 2);
  record.deadline = to_millis(clock_.wall_now()) + 1500ms;
  add(record);
  const auto given = assign_one();
  EXPECT_EQ(given.deadline_in, 1500ms);
  tick(1499ms);
  EXPECT_EQ(state_of("a"), PartitionState::synthesis);
  tick(1ms);
  const auto ended = finished("a");
  EXPECT_EQ(ended.state, JobState::failed);
  EXPECT_EQ(ended.partitions[0].end.error->code, ErrorCode::deadline);
  EXPECT_EQ(ended.partitions[1].end.error->code, ErrorCode::deadline);
  EXPECT_FALSE(cancellations_.empty());
}

TEST_F(SchedulerLife, a_deadline_of_a_finished_job_means_nothing) {
  join_pair(1);
  auto record = job("a", 1);
  record.deadline = to_millis(clock_.wall_now()) + 1s;
  add(record);
  prove(assign_one());
  tick(2s);
  EXPECT_EQ(finished("a").state, JobState::done);
}

// Fault 9: in-flight gauges drift and underflow.
TEST_F(SchedulerLife, gauges_return_to_zero_whatever_happened) {
  join_pair(8);
  add("proved", 2);
  add("failed", 2);
  add("cancelled", 2);
  add("lost", 2);
  const auto given = assign();
  ASSERT_EQ(given.size(), 8u);
  for (const auto& one : given) {
    const std::string& id = one.partition.job.text();
    if (id == "proved") stage(one), prove(one), prove(one), stage(one);
    if (id == "failed") fail("s/1", one, ErrorCode::internal, Blame::input), stage(one);
  }
  ASSERT_TRUE(scheduler_.cancel(JobId("cancelled")).ok());
  collect();
  scheduler_.leave("s/1", Scheduler::Leaving::lost);
  collect();
  scheduler_.leave("g/1", Scheduler::Leaving::lost);
  collect();
  scheduler_.leave("g/1", Scheduler::Leaving::goodbye);
  ASSERT_TRUE(scheduler_.cancel(JobId("lost")).ok());
  collect();
  EXPECT_EQ(depth_total(), 0u);
  const auto status = scheduler_.status();
  EXPECT_EQ(status.jobs, 0u);
  EXPECT_EQ(status.oldest_age_seconds, 0);
  EXPECT_EQ(status.gpu_backlog_seconds, 0);
  EXPECT_TRUE(scheduler_.idle());
  EXPECT_EQ(scheduler_.workers().credits_total(wire::WorkerKind::synthesis), 0u);
}

TEST_F(SchedulerLife, a_restart_queues_what_was_leased_again_and_keeps_what_was_done) {
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

TEST_F(SchedulerLife, a_recovered_job_whose_partitions_had_all_ended_is_closed) {
  auto record = job("a", 1);
  record.partitions[0].state = PartitionState::failed;
  add(record);
  EXPECT_EQ(finished("a").state, JobState::failed);
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
