// The specification of every ledger, as tests.
#include <gtest/gtest.h>

#include <thread>

#include "tests/contract/ledger/ledger_engines.hpp"

namespace penstock::queue::test {
namespace {

class LedgerContract : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override { reopen(); }
  void reopen() {
    ledger_.reset();
    auto opened = GetParam().open(folder_.path());
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    ledger_ = std::move(opened).value();
  }
  std::vector<Outcome> commit(std::vector<Change> changes) {
    auto outcomes = ledger_->commit(changes);
    EXPECT_TRUE(outcomes.ok()) << (outcomes.ok() ? "" : to_string(outcomes.error()));
    return outcomes.ok() ? std::move(outcomes).value() : std::vector<Outcome>{};
  }
  JobRecord find(const std::string& id) {
    auto job = ledger_->find(JobId(id));
    EXPECT_TRUE(job.ok() && *job);
    return job.ok() && *job ? **job : JobRecord{};
  }
  static Change proved(const std::string& job, std::uint32_t index) {
    telemetry::PhaseTimes phases;
    phases.add(Phase::admit, std::chrono::milliseconds(3));
    phases.add(Phase::msm_b2, std::chrono::nanoseconds(12345));
    return PartitionEnded{.job = JobId(job),
                          .index = index,
                          .end = {.state = PartitionState::done,
                                  .proof_json = R"({"pi_a":["1","2","1"]})",
                                  .public_json = R"(["33"])",
                                  .device = "cpu"},
                          .phases = phases};
  }
  static WallMillis at(std::int64_t millis) { return WallMillis(std::chrono::milliseconds(millis)); }

  ScratchFolder folder_;
  std::unique_ptr<Ledger> ledger_;
};

TEST_P(LedgerContract, an_empty_ledger_holds_nothing) {
  EXPECT_TRUE(ledger_->unfinished()->empty());
  EXPECT_TRUE(ledger_->list({})->empty());
  EXPECT_TRUE(ledger_->circuits()->empty());
  EXPECT_FALSE(ledger_->find(JobId("nobody"))->has_value());
}

TEST_P(LedgerContract, an_admitted_job_is_there_after_reopening) {
  JobRecord job = make_job("job-1", 3);
  job.priority = wire::Priority::critical;
  job.curve = CurveId::bls12_381;
  job.deadline = at(99'000);
  commit({JobAdmitted{.job = job}});
  reopen();
  const auto jobs = ledger_->unfinished();
  ASSERT_TRUE(jobs.ok());
  ASSERT_EQ(jobs->size(), 1u);
  const JobRecord& found = (*jobs)[0];
  EXPECT_EQ(found.id.text(), "job-1");
  EXPECT_EQ(found.circuit, "mul");
  EXPECT_EQ(found.circuit_id.text(), std::string(64, 'a'));
  EXPECT_EQ(found.curve, CurveId::bls12_381);
  EXPECT_EQ(found.priority, wire::Priority::critical);
  EXPECT_EQ(found.state, JobState::queued);
  EXPECT_EQ(found.created, at(1000));
  EXPECT_EQ(found.deadline, at(99'000));
  EXPECT_FALSE(found.finished);
  ASSERT_EQ(found.partitions.size(), 3u);
  EXPECT_EQ(found.partitions[1].input_kind, wire::InputKind::wtns);
  EXPECT_EQ(found.partitions[2].input_kind, wire::InputKind::json);
  EXPECT_EQ(found.partitions[2].index, 2u);
}

TEST_P(LedgerContract, admission_order_is_unique_and_survives_equal_times) {
  const auto outcomes = commit({JobAdmitted{.job = make_job("b", 1)}, JobAdmitted{.job = make_job("a", 1)}});
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_LT(outcomes[0].sequence, outcomes[1].sequence);
  reopen();
  const auto jobs = ledger_->unfinished();
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[0].id.text(), "b");
  EXPECT_EQ((*jobs)[0].sequence, outcomes[0].sequence);
}

TEST_P(LedgerContract, a_sequence_is_never_given_twice_even_after_a_purge) {
  const auto first = commit({JobAdmitted{.job = make_job("a", 1)}});
  commit({proved("a", 0), JobEnded{.job = JobId("a"), .finished = at(2000)}});
  EXPECT_EQ(*ledger_->purge(at(3000), 10), 1u);
  reopen();
  const auto second = commit({JobAdmitted{.job = make_job("b", 1)}});
  EXPECT_LT(first[0].sequence, second[0].sequence);
}

TEST_P(LedgerContract, a_lease_makes_the_job_run_and_counts_the_attempt) {
  commit({JobAdmitted{.job = make_job("a", 2)}});
  commit({PartitionLeased{.job = JobId("a"), .index = 1, .attempts = 1}});
  reopen();
  const JobRecord job = find("a");
  EXPECT_EQ(job.state, JobState::running);
  EXPECT_EQ(job.partitions[0].attempts, 0u);
  EXPECT_EQ(job.partitions[1].attempts, 1u);
  EXPECT_EQ(job.partitions[1].state, PartitionState::synthesis);
}

TEST_P(LedgerContract, a_requeued_partition_remembers_its_failures_and_phases) {
  commit(
      {JobAdmitted{.job = make_job("a", 1)}, PartitionLeased{.job = JobId("a"), .index = 0, .attempts = 1}});
  telemetry::PhaseTimes phases;
  phases.add(Phase::witness, std::chrono::milliseconds(7));
  commit({PartitionRequeued{.job = JobId("a"), .index = 0, .failures = 2, .losses = 1, .phases = phases}});
  reopen();
  const PartitionRecord partition = find("a").partitions[0];
  EXPECT_EQ(partition.state, PartitionState::queued);
  EXPECT_EQ(partition.attempts, 1u);
  EXPECT_EQ(partition.failures, 2u);
  EXPECT_EQ(partition.losses, 1u);
  EXPECT_EQ(partition.phases.get(Phase::witness), std::chrono::milliseconds(7));
}

TEST_P(LedgerContract, a_result_is_kept_whole) {
  commit({JobAdmitted{.job = make_job("a", 1)}});
  commit({proved("a", 0), JobEnded{.job = JobId("a"), .state = JobState::done, .finished = at(5000)}});
  reopen();
  EXPECT_TRUE(ledger_->unfinished()->empty());
  const JobRecord job = find("a");
  EXPECT_EQ(job.state, JobState::done);
  EXPECT_EQ(job.finished, at(5000));
  const PartitionRecord& partition = job.partitions[0];
  EXPECT_EQ(partition.state, PartitionState::done);
  EXPECT_EQ(partition.end.proof_json, R"({"pi_a":["1","2","1"]})");
  EXPECT_EQ(partition.end.public_json, R"(["33"])");
  EXPECT_EQ(partition.end.device, "cpu");
  EXPECT_EQ(partition.phases.get(Phase::msm_b2), std::chrono::nanoseconds(12345));
  EXPECT_FALSE(partition.phases.get(Phase::ntt));
}

TEST_P(LedgerContract, an_error_is_kept_whole) {
  commit({JobAdmitted{.job = make_job("a", 1)}});
  const Error error{.code = ErrorCode::witness_unsatisfied,
                    .what = "constraint 7 is broken; it's \"here\"",
                    .hint = "check signal main.x",
                    .file = "input.json",
                    .offset = 17};
  commit({PartitionEnded{
              .job = JobId("a"), .index = 0, .end = {.state = PartitionState::failed, .error = error}},
          JobEnded{.job = JobId("a"), .state = JobState::failed, .finished = at(5000)}});
  reopen();
  const JobRecord job = find("a");
  EXPECT_EQ(job.state, JobState::failed);
  const auto& kept = job.partitions[0].end.error;
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->code, error.code);
  EXPECT_EQ(kept->what, error.what);
  EXPECT_EQ(kept->hint, error.hint);
  EXPECT_EQ(kept->file, error.file);
  EXPECT_EQ(kept->offset, error.offset);
}

TEST_P(LedgerContract, the_first_end_of_a_partition_stands) {
  commit({JobAdmitted{.job = make_job("a", 1)}});
  commit({proved("a", 0)});
  commit({PartitionEnded{.job = JobId("a"),
                         .index = 0,
                         .end = {.state = PartitionState::failed,
                                 .error = Error{.code = ErrorCode::internal, .what = "too late"}}},
          PartitionRequeued{.job = JobId("a"), .index = 0, .failures = 1},
          PartitionLeased{.job = JobId("a"), .index = 0, .attempts = 9}});
  EXPECT_EQ(find("a").partitions[0].state, PartitionState::done);
  EXPECT_EQ(find("a").partitions[0].attempts, 0u);
}

TEST_P(LedgerContract, changes_to_unknown_jobs_have_no_effect) {
  const auto outcomes = commit({proved("ghost", 0), PartitionLeased{.job = JobId("ghost")},
                                JobEnded{.job = JobId("ghost")}, CircuitRemoved{.name = "ghost"}});
  EXPECT_EQ(outcomes.size(), 4u);
  EXPECT_TRUE(ledger_->list({})->empty());
}

TEST_P(LedgerContract, an_idempotency_key_belongs_to_one_job) {
  const IdempotencyMark mark{.key_hash = "k1", .body_hash = "b1"};
  commit({JobAdmitted{.job = make_job("first", 1), .idempotency = mark}});
  reopen();
  const auto same = commit({JobAdmitted{.job = make_job("second", 1), .idempotency = mark}});
  ASSERT_TRUE(same[0].existing);
  EXPECT_EQ(same[0].existing->job.text(), "first");
  EXPECT_TRUE(same[0].existing->same_body);
  const auto other =
      commit({JobAdmitted{.job = make_job("third", 1), .idempotency = IdempotencyMark{"k1", "b2"}}});
  ASSERT_TRUE(other[0].existing);
  EXPECT_FALSE(other[0].existing->same_body);
  EXPECT_FALSE(ledger_->find(JobId("second"))->has_value());
  EXPECT_FALSE(ledger_->find(JobId("third"))->has_value());
}

TEST_P(LedgerContract, the_owner_of_an_idempotency_key_is_found_without_a_commit) {
  commit({JobAdmitted{.job = make_job("first", 1), .idempotency = IdempotencyMark{"k1", "b1"}}});
  commit({JobAdmitted{.job = make_job("keyless", 1)}});
  reopen();
  const auto same = ledger_->find(IdempotencyMark{"k1", "b1"});
  ASSERT_TRUE(same.ok() && same->has_value());
  EXPECT_EQ((*same)->job.text(), "first");
  EXPECT_TRUE((*same)->same_body);
  const auto other = ledger_->find(IdempotencyMark{"k1", "b2"});
  ASSERT_TRUE(other.ok() && other->has_value());
  EXPECT_FALSE((*other)->same_body);
  EXPECT_FALSE(ledger_->find(IdempotencyMark{"k2", "b1"})->has_value());
  EXPECT_FALSE(ledger_->find(IdempotencyMark{"", ""})->has_value());
}

TEST_P(LedgerContract, an_idempotency_key_taken_within_one_batch_is_seen) {
  const IdempotencyMark mark{.key_hash = "k", .body_hash = "b"};
  const auto outcomes = commit({JobAdmitted{.job = make_job("one", 1), .idempotency = mark},
                                JobAdmitted{.job = make_job("two", 1), .idempotency = mark}});
  EXPECT_FALSE(outcomes[0].existing);
  ASSERT_TRUE(outcomes[1].existing);
  EXPECT_EQ(outcomes[1].existing->job.text(), "one");
}

TEST_P(LedgerContract, a_failing_batch_stores_nothing) {
  commit({JobAdmitted{.job = make_job("a", 1)}});
  const std::vector<Change> batch = {proved("a", 0), JobAdmitted{.job = make_job("b", 1)},
                                     JobAdmitted{.job = make_job("a", 1)}};  // the id is taken
  EXPECT_FALSE(ledger_->commit(batch).ok());
  EXPECT_FALSE(ledger_->find(JobId("b"))->has_value());
  EXPECT_EQ(find("a").partitions[0].state, PartitionState::queued);
  commit({proved("a", 0)});
  EXPECT_EQ(find("a").partitions[0].state, PartitionState::done);
}

TEST_P(LedgerContract, the_list_is_newest_first_bounded_and_filtered) {
  for (int i = 0; i < 5; ++i) commit({JobAdmitted{.job = make_job("job" + std::to_string(i), 2)}});
  commit({proved("job1", 0), proved("job1", 1), JobEnded{.job = JobId("job1"), .finished = at(1)}});
  const auto latest = ledger_->list({.limit = 2});
  ASSERT_EQ(latest->size(), 2u);
  EXPECT_EQ((*latest)[0].job.id.text(), "job4");
  EXPECT_EQ((*latest)[0].partitions, 2u);
  const auto done = ledger_->list({.state = JobState::done});
  ASSERT_EQ(done->size(), 1u);
  EXPECT_EQ((*done)[0].job.id.text(), "job1");
  EXPECT_EQ((*done)[0].done, 2u);
  EXPECT_EQ(ledger_->list({.state = JobState::queued})->size(), 4u);
}

TEST_P(LedgerContract, a_purge_forgets_old_finished_jobs_only) {
  const IdempotencyMark mark{.key_hash = "k", .body_hash = "b"};
  commit({JobAdmitted{.job = make_job("old", 1), .idempotency = mark}, JobAdmitted{.job = make_job("new", 1)},
          JobAdmitted{.job = make_job("open", 1)}});
  commit({proved("old", 0), JobEnded{.job = JobId("old"), .finished = at(1000)}});
  commit({proved("new", 0), JobEnded{.job = JobId("new"), .finished = at(9000)}});
  EXPECT_EQ(*ledger_->purge(at(5000), 100), 1u);
  EXPECT_FALSE(ledger_->find(JobId("old"))->has_value());
  EXPECT_TRUE(ledger_->find(JobId("new"))->has_value());
  EXPECT_TRUE(ledger_->find(JobId("open"))->has_value());
  EXPECT_FALSE(commit({JobAdmitted{.job = make_job("again", 1), .idempotency = mark}})[0].existing);
}

TEST_P(LedgerContract, circuits_are_kept_whole_and_removed_by_name) {
  CircuitRecord circuit;
  circuit.ref = {.id = CircuitId(std::string(64, 'c')),
                 .name = "range64",
                 .curve = CurveId::bls12_381,
                 .has_wasm = true,
                 .has_r1cs = false,
                 .has_sym = true,
                 .insecure_dev = true,
                 .variables = 218,
                 .publics = 3,
                 .domain_size = 256};
  circuit.created = at(77);
  commit({CircuitAdded{circuit}});
  reopen();
  const auto circuits = ledger_->circuits();
  ASSERT_EQ(circuits->size(), 1u);
  const auto& found = (*circuits)[0];
  EXPECT_EQ(found.ref.id, circuit.ref.id);
  EXPECT_EQ(found.ref.name, "range64");
  EXPECT_EQ(found.ref.curve, CurveId::bls12_381);
  EXPECT_TRUE(found.ref.has_wasm && found.ref.has_sym && found.ref.insecure_dev && !found.ref.has_r1cs);
  EXPECT_EQ(found.ref.variables, 218u);
  EXPECT_EQ(found.ref.publics, 3u);
  EXPECT_EQ(found.ref.domain_size, 256u);
  EXPECT_EQ(found.created, at(77));
  commit({CircuitRemoved{.name = "range64"}});
  EXPECT_TRUE(ledger_->circuits()->empty());
}

TEST_P(LedgerContract, symbols_that_come_later_are_known_under_every_name_of_their_circuit) {
  const auto add = [&](const std::string& name, char id) {
    CircuitRecord circuit;
    circuit.ref = {.id = CircuitId(std::string(64, id)), .name = name};
    commit({CircuitAdded{circuit}});
  };
  add("a", 'c');
  add("b", 'c');
  add("other", 'd');
  commit({SymbolsAdded{CircuitId(std::string(64, 'c'))}, SymbolsAdded{CircuitId(std::string(64, 'e'))}});
  reopen();
  const auto circuits = ledger_->circuits();
  ASSERT_EQ(circuits->size(), 3u);
  EXPECT_TRUE((*circuits)[0].ref.has_sym && (*circuits)[1].ref.has_sym);
  EXPECT_FALSE((*circuits)[2].ref.has_sym);
}

TEST_P(LedgerContract, epochs_grow_with_every_start) {
  const auto first = *ledger_->start_epoch();
  reopen();
  const auto second = *ledger_->start_epoch();
  EXPECT_LT(first, second);
}

TEST_P(LedgerContract, a_second_holder_is_refused_by_name) {
  const auto second = GetParam().open(folder_.path());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
}

TEST_P(LedgerContract, reads_run_beside_commits) {
  commit({JobAdmitted{.job = make_job("seed", 1)}});
  std::jthread reader([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto job = ledger_->find(JobId("seed"));
      EXPECT_TRUE(job.ok() && job->has_value());
      EXPECT_TRUE(ledger_->list({.limit = 10}).ok());
    }
  });
  for (int i = 0; i < 100; ++i) commit({JobAdmitted{.job = make_job("j" + std::to_string(i), 4)}});
  reader.request_stop();
  reader.join();
  EXPECT_EQ(ledger_->unfinished()->size(), 101u);
}

INSTANTIATE_TEST_SUITE_P(engines, LedgerContract, testing::ValuesIn(engines()),
                         [](const auto& engine) { return engine.param.name; });

}  // namespace
}  // namespace penstock::queue::test
