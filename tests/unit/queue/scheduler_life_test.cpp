// A partition's life: results, phases, failures, retries, attempts that do not mix.
#include "tests/unit/queue/scheduler_rig.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;

class SchedulerLife : public SchedulerRig {};

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

}  // namespace
}  // namespace penstock::queue::test
