// Cancellation in every state, credits, deadlines, gauges.
#include "tests/unit/queue/scheduler_rig.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;

class SchedulerCancel : public SchedulerRig {};

TEST_F(SchedulerCancel, a_result_before_the_staged_report_ends_the_partition_and_the_credit_follows) {
  join_pair();
  add("a");
  const auto given = assign_one();
  prove(given);
  EXPECT_EQ(finished("a").state, JobState::done);
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 0u);
  stage(given);
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 1u);
}

TEST_F(SchedulerCancel, an_input_that_cannot_be_read_fails_its_partition_and_frees_the_credit) {
  join_pair();
  add("a");
  const auto given = assign_one();
  scheduler_.unsendable(given.partition, Error{.code = ErrorCode::internal, .what = "no such file"},
                        Scheduler::Retry::no);
  collect();
  EXPECT_EQ(finished("a").state, JobState::failed);
  EXPECT_EQ(scheduler_.workers().credits_free(wire::WorkerKind::synthesis), 1u);
}

TEST_F(SchedulerCancel, cancel_works_in_every_state) {
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

TEST_F(SchedulerCancel, a_cancelled_lease_keeps_its_credit_until_the_worker_lets_go) {
  join_pair();
  add("a");
  add("b");
  const auto given = assign_one();
  ASSERT_TRUE(scheduler_.cancel(JobId("a")).ok());
  EXPECT_TRUE(assign().empty());
  fail("s/1", given, ErrorCode::cancelled, Blame::input);
  EXPECT_EQ(assign_one().partition.job.text(), "b");
}

TEST_F(SchedulerCancel, cancelling_keeps_what_was_already_proved) {
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

TEST_F(SchedulerCancel, a_deadline_fails_what_is_unfinished_and_tells_the_workers) {
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

TEST_F(SchedulerCancel, a_deadline_of_a_finished_job_means_nothing) {
  join_pair(1);
  auto record = job("a", 1);
  record.deadline = to_millis(clock_.wall_now()) + 1s;
  add(record);
  prove(assign_one());
  tick(2s);
  EXPECT_EQ(finished("a").state, JobState::done);
}

// Fault 9: in-flight gauges drift and underflow.
TEST_F(SchedulerCancel, gauges_return_to_zero_whatever_happened) {
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

}  // namespace
}  // namespace penstock::queue::test
