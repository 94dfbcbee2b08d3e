// Who is next, who takes it: order, credits, routes, room.
#include "tests/unit/queue/scheduler_rig.hpp"

namespace penstock::queue::test {
namespace {

using namespace std::chrono_literals;

class SchedulerOrder : public SchedulerRig {};

TEST_F(SchedulerOrder, nothing_is_given_without_a_credit) {
  join_gpu();
  add("a");
  EXPECT_TRUE(assign().empty());
  join_synthesis("s");
  EXPECT_EQ(assign_one().partition.job.text(), "a");
}

TEST_F(SchedulerOrder, nothing_is_given_without_a_gpu_service) {
  join_synthesis("s", 4);
  add("a");
  EXPECT_TRUE(assign().empty());
  join_gpu();
  EXPECT_EQ(assign().size(), 1u);
}

TEST_F(SchedulerOrder, no_worker_gets_more_than_its_credits) {
  join_gpu();
  join_synthesis("s1", 2);
  join_synthesis("s2", 3);
  add("a", 20);
  const auto given = assign();
  EXPECT_EQ(given.size(), 5u);
  std::map<Peer, int> by_worker;
  for (const auto& one : given) ++by_worker[one.synthesis];
  EXPECT_EQ(by_worker["s1/1"], 2);
  EXPECT_EQ(by_worker["s2/1"], 3);
  EXPECT_TRUE(assign().empty());
  stage(given[0]);
  EXPECT_EQ(assign().size(), 1u);
}

TEST_F(SchedulerOrder, urgent_jobs_come_first_then_older_ones_then_lower_indices) {
  join_pair(100);
  add("low", 1, wire::Priority::low);
  add("old", 2);
  add("young", 1);
  add("critical", 1, wire::Priority::critical);
  add("high", 1, wire::Priority::high);
  std::vector<std::string> order;
  for (const auto& one : assign())
    order.push_back(one.partition.job.text() + std::to_string(one.partition.index));
  EXPECT_EQ(order, (std::vector<std::string>{"critical0", "high0", "old0", "old1", "young0", "low0"}));
}

// Fault 3 of the reference system: equal queue keys overwrite each other and a client waits for ever.
TEST_F(SchedulerOrder, equal_times_and_priorities_do_not_overwrite_each_other) {
  join_pair(100);
  for (int i = 0; i < 50; ++i) add("job" + std::to_string(i));
  const auto given = assign();
  std::set<std::string> jobs;
  for (const auto& one : given) {
    jobs.insert(one.partition.job.text());
    stage(one);
    prove(one);
  }
  EXPECT_EQ(jobs.size(), 50u);
  for (const auto& id : jobs) EXPECT_EQ(finished(id).state, JobState::done);
}

TEST_F(SchedulerOrder, every_lease_has_a_larger_token_than_all_before) {
  join_pair(100);
  add("a", 30);
  std::uint64_t last = 0;
  for (const auto& one : assign()) {
    EXPECT_GT(static_cast<std::uint64_t>(one.partition.token), last);
    last = static_cast<std::uint64_t>(one.partition.token);
  }
}

TEST_F(SchedulerOrder, tokens_of_a_later_start_are_larger) {
  SchedulerOptions later = test_options();
  later.epoch = 2;
  Scheduler second(clock_, later);
  join_pair();
  add("a");
  const auto first_token = assign_one().partition.token;
  second.join(hello(wire::WorkerKind::gpu, "g"));
  second.join(hello(wire::WorkerKind::synthesis, "s"));
  second.add(job("b", 1), circuit(), {});
  second.assign();
  EXPECT_GT(second.take().assignments.at(0).partition.token, first_token);
}

TEST_F(SchedulerOrder, the_least_loaded_gpu_service_is_the_route) {
  join_gpu("g1");
  join_gpu("g2");
  join_synthesis("s", 10);
  add("a", 6);
  std::map<std::string, int> routes;
  for (const auto& one : assign()) ++routes[one.gpu.name.text()];
  EXPECT_EQ(routes["g1"], 3);
  EXPECT_EQ(routes["g2"], 3);
}

// Fault: a service that drains was chosen until its Goodbye, at the price of a synthesis for each refusal.
TEST_F(SchedulerOrder, a_gpu_service_that_drains_is_no_route_and_keeps_what_it_holds) {
  join_pair(4);
  add("a", 3);
  const auto given = assign();
  ASSERT_EQ(given.size(), 3u);
  stage(given[0]);
  scheduler_.join(hello(wire::WorkerKind::gpu, "g", 0));  // Hello again, without credits
  EXPECT_EQ(scheduler_.workers().count_draining(wire::WorkerKind::gpu), 1u);
  add("b");
  EXPECT_TRUE(assign().empty());
  prove(given[0]);
  EXPECT_EQ(state_of("a"), PartitionState::done);
  join_gpu("g2");
  EXPECT_EQ(assign_one().gpu.name.text(), "g2");
}

TEST_F(SchedulerOrder, a_route_carries_the_endpoints_of_its_service) {
  join_pair();
  add("a");
  const auto given = assign_one();
  EXPECT_EQ(given.gpu.data_endpoints, std::vector<std::string>{"inproc://g"});
  EXPECT_EQ(given.gpu.incarnation.text(), "1");
  EXPECT_EQ(given.partition.attempt, 1u);
}

TEST_F(SchedulerOrder, a_pair_shares_its_host) {
  auto far = hello(wire::WorkerKind::gpu, "far");
  far.host_id = "another host";
  scheduler_.join(far);
  join_synthesis("s");
  add("a");
  EXPECT_TRUE(assign().empty());
  join_gpu("near");
  EXPECT_EQ(assign_one().gpu.name.text(), "near");
}

TEST_F(SchedulerOrder, a_service_of_another_host_is_taken_when_it_can_be_reached_and_none_is_near) {
  auto far = hello(wire::WorkerKind::gpu, "a-far");
  far.host_id = "another host";
  far.data_endpoints = {"ipc:///run/far.ipc", "tcp://10.0.0.7:7710"};
  far.curve_key = "key";
  scheduler_.join(far);
  join_synthesis("s");
  add("a");
  const auto given = assign_one();
  EXPECT_EQ(given.gpu.name.text(), "a-far");
  EXPECT_EQ(given.gpu.curve_key, "key");
  join_gpu("near");
  join_synthesis("t");
  add("b");
  EXPECT_EQ(assign_one().gpu.name.text(), "near");
}

TEST_F(SchedulerOrder, insecure_keys_go_only_where_they_are_allowed) {
  join_pair(10);
  wire::CircuitRef insecure = circuit("dev");
  insecure.insecure_dev = true;
  add(job("dev", 1), insecure);
  add("sound");
  EXPECT_EQ(assign_one().partition.job.text(), "sound");  // and the blocked job before it blocks nobody
  auto tolerant = hello(wire::WorkerKind::gpu, "tolerant");
  tolerant.allow_insecure_keys = true;
  scheduler_.join(tolerant);
  EXPECT_EQ(assign_one().gpu.name.text(), "tolerant");
}

// Faults 5 and 6: nothing is unbounded, and what can never fit is refused instead of waiting for ever.
TEST_F(SchedulerOrder, a_full_queue_refuses_and_says_when_to_come_back) {
  ASSERT_TRUE(scheduler_.reserve(60).ok());
  const Status full = scheduler_.reserve(41);
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code, ErrorCode::overloaded);
  EXPECT_GE(scheduler_.retry_after(), 1s);
  scheduler_.unreserve(60);
  EXPECT_TRUE(scheduler_.reserve(100).ok());
}

TEST_F(SchedulerOrder, a_job_larger_than_the_queue_is_refused_by_name) {
  const Status refused = scheduler_.reserve(101);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::body_too_large);
}

TEST_F(SchedulerOrder, leased_partitions_count_as_waiting_and_finished_ones_do_not) {
  join_pair(100);
  add("a", 100);
  const auto given = assign();
  EXPECT_FALSE(scheduler_.reserve(1).ok());
  stage(given[0]);
  EXPECT_FALSE(scheduler_.reserve(1).ok());
  prove(given[0]);
  EXPECT_TRUE(scheduler_.reserve(1).ok());
}

TEST_F(SchedulerOrder, retry_after_follows_the_measured_rate) {
  join_pair(100);
  add("a", 90);
  const auto given = assign();
  for (int i = 0; i < 40; ++i) {
    stage(given[static_cast<std::size_t>(i)]);
    clock_.advance(2s);
    prove(given[static_cast<std::size_t>(i)]);
  }
  // 50 wait, 2 s each.
  EXPECT_NEAR(static_cast<double>(scheduler_.retry_after().count()), 100, 5);
  clock_.advance(1h);  // an idle hour does not make the device look slow
  stage(given[40]);
  clock_.advance(2s);
  prove(given[40]);
  EXPECT_NEAR(scheduler_.status().proved_per_second, 0.5, 0.05);
}

TEST_F(SchedulerOrder, a_draining_queue_gives_nothing_more) {
  join_pair(10);
  add("a");
  scheduler_.drain();
  EXPECT_TRUE(assign().empty());
  EXPECT_TRUE(scheduler_.idle());
}

TEST_F(SchedulerOrder, jobs_of_a_circuit_are_counted_until_they_finish) {
  join_pair();
  add("a");
  EXPECT_EQ(scheduler_.jobs_of(CircuitId("c")), 1u);
  const auto given = assign_one();
  prove(given);
  EXPECT_EQ(scheduler_.jobs_of(CircuitId("c")), 0u);
}

}  // namespace
}  // namespace penstock::queue::test
