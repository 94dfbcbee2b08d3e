// The writer over a ledger that fails when told to.
#include "services/queue/ledger_writer.hpp"

#include <gtest/gtest.h>

#include <future>

namespace penstock::queue::test {
namespace {

class FaultyLedger final : public Ledger {
 public:
  Result<std::uint64_t> start_epoch() override { return std::uint64_t{1}; }
  Result<std::vector<Outcome>> commit(std::span<const Change> changes) override {
    const std::unique_lock hold(mutex);
    batches.push_back(changes.size());
    if (failures_left > 0) {
      --failures_left;
      return Error{.code = ErrorCode::file_unwritable, .what = "the disk is full"};
    }
    for (const Change& change : changes)
      if (std::holds_alternative<CircuitRemoved>(change))
        return Error{.code = ErrorCode::conflict, .what = "a change that cannot be"};
    stored += changes.size();
    return std::vector<Outcome>(changes.size(), Outcome{.sequence = stored});
  }
  Result<std::uint64_t> purge(WallMillis, std::uint32_t) override { return std::uint64_t{0}; }
  Result<std::vector<JobRecord>> unfinished() const override { return std::vector<JobRecord>(); }
  Result<std::optional<JobRecord>> find(const JobId&) const override { return std::optional<JobRecord>(); }
  Result<std::optional<Outcome::Existing>> find(const IdempotencyMark&) const override {
    return std::optional<Outcome::Existing>();
  }
  Result<std::vector<JobSummary>> list(const JobFilter&) const override { return std::vector<JobSummary>(); }
  Result<std::vector<CircuitRecord>> circuits() const override { return std::vector<CircuitRecord>(); }

  std::mutex mutex;
  int failures_left = 0;
  std::size_t stored = 0;
  std::vector<std::size_t> batches;
};

Change lease() {
  return PartitionLeased{.job = JobId("j"), .index = 0, .attempts = 1};
}

std::future<bool> submit(LedgerWriter& writer, std::vector<Change> changes, LedgerWriter::Insist insist) {
  auto promise = std::make_shared<std::promise<bool>>();
  writer.submit(std::move(changes), insist,
                [promise](const auto& outcomes) { promise->set_value(outcomes.ok()); });
  return promise->get_future();
}

TEST(LedgerWriter, groups_what_waits_into_one_commit) {
  FaultyLedger ledger;
  LedgerWriter writer(ledger);
  std::vector<std::future<bool>> answers;
  {
    const std::unique_lock hold(ledger.mutex);  // the first commit waits here while the others queue up
    for (int i = 0; i < 50; ++i)
      answers.push_back(submit(writer, {lease(), lease()}, LedgerWriter::Insist::no));
  }
  for (auto& answer : answers) EXPECT_TRUE(answer.get());
  EXPECT_EQ(ledger.stored, 100u);
  EXPECT_LE(ledger.batches.size(), 4u);
}

TEST(LedgerWriter, a_refused_admission_is_told_and_an_insisting_change_is_tried_again) {
  FaultyLedger ledger;
  ledger.failures_left = 2;
  LedgerWriter writer(ledger);
  EXPECT_FALSE(submit(writer, {lease()}, LedgerWriter::Insist::no).get());
  EXPECT_FALSE(writer.healthy());
  {
    const std::unique_lock hold(ledger.mutex);
    ledger.failures_left = 3;
  }
  EXPECT_TRUE(submit(writer, {lease()}, LedgerWriter::Insist::yes).get());
  EXPECT_TRUE(writer.healthy());
}

TEST(LedgerWriter, one_impossible_change_does_not_take_its_neighbours_along) {
  FaultyLedger ledger;
  LedgerWriter writer(ledger);
  std::vector<std::future<bool>> answers;
  {
    const std::unique_lock hold(ledger.mutex);
    answers.push_back(submit(writer, {lease()}, LedgerWriter::Insist::yes));
    answers.push_back(submit(writer, {CircuitRemoved{"x"}}, LedgerWriter::Insist::yes));
    answers.push_back(submit(writer, {lease()}, LedgerWriter::Insist::no));
  }
  EXPECT_TRUE(answers[0].get());
  EXPECT_FALSE(answers[1].get());
  EXPECT_TRUE(answers[2].get());
  EXPECT_TRUE(writer.healthy());
}

TEST(LedgerWriter, destruction_commits_what_was_submitted) {
  FaultyLedger ledger;
  {
    LedgerWriter writer(ledger);
    for (int i = 0; i < 10; ++i) writer.submit({lease()}, LedgerWriter::Insist::yes, {});
  }
  EXPECT_EQ(ledger.stored, 10u);
}

TEST(LedgerWriter, work_for_the_writing_thread_keeps_its_place) {
  FaultyLedger ledger;
  LedgerWriter writer(ledger);
  std::promise<std::size_t> seen;
  auto first = submit(writer, {lease()}, LedgerWriter::Insist::no);
  writer.run([&](Ledger&) { seen.set_value(ledger.stored); });
  EXPECT_TRUE(first.get());
  EXPECT_EQ(seen.get_future().get(), 1u);
}

}  // namespace
}  // namespace penstock::queue::test
