#include "services/queue/ledger_writer.hpp"

#include <future>
#include <iterator>

namespace penstock::queue {

namespace {
/// Bounds one transaction: about a hundred milliseconds of SQLite on a slow core.
constexpr std::size_t max_changes_per_commit = 4096;
constexpr std::chrono::milliseconds retry_interval{500};
}  // namespace

LedgerWriter::LedgerWriter(Ledger& ledger) : ledger_(ledger), thread_([this] { loop(); }) {}

LedgerWriter::~LedgerWriter() {
  {
    const std::lock_guard hold(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LedgerWriter::push(Submission submission) {
  {
    const std::lock_guard hold(mutex_);
    queue_.push_back(std::move(submission));
  }
  changed_.notify_all();
}

void LedgerWriter::submit(std::vector<Change> changes, Insist insist, Done done) {
  push({.changes = std::move(changes), .insist = insist, .done = std::move(done), .work = {}});
}

void LedgerWriter::run(std::function<void(Ledger&)> work) {
  push({.changes = {}, .insist = Insist::no, .done = {}, .work = std::move(work)});
}

Result<std::vector<Outcome>> LedgerWriter::commit(std::vector<Change> changes) {
  std::promise<Result<std::vector<Outcome>>> promise;
  submit(std::move(changes), Insist::no,
         [&](Result<std::vector<Outcome>> outcomes) { promise.set_value(std::move(outcomes)); });
  return promise.get_future().get();
}

std::vector<LedgerWriter::Submission> LedgerWriter::next_batch() {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return stopping_ || !queue_.empty(); });
  std::vector<Submission> batch;
  std::size_t changes = 0;
  while (!queue_.empty() && changes < max_changes_per_commit) {
    if (queue_.front().work && !batch.empty()) break;
    changes += queue_.front().changes.size();
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
    if (batch.back().work) break;
  }
  return batch;
}

void LedgerWriter::loop() {
  for (auto batch = next_batch(); !batch.empty(); batch = next_batch()) {
    if (batch.front().work)
      batch.front().work(ledger_);
    else
      commit_batch(std::move(batch));
  }
}

void LedgerWriter::commit_batch(std::vector<Submission> batch) {
  std::vector<Change> changes;
  for (const Submission& submission : batch)
    changes.insert(changes.end(), submission.changes.begin(), submission.changes.end());
  auto outcomes = ledger_.commit(changes);
  if (!outcomes.ok()) {
    // One of them may be the culprit: alone, each is judged for itself.
    for (Submission& submission : batch) commit_alone(submission);
    return;
  }
  healthy_ = true;
  auto next = std::make_move_iterator(outcomes->begin());
  for (Submission& submission : batch) {
    const auto end = next + static_cast<std::ptrdiff_t>(submission.changes.size());
    if (submission.done) submission.done(std::vector<Outcome>(next, end));
    next = end;
  }
}

void LedgerWriter::commit_alone(Submission& submission) {
  for (;;) {
    auto outcomes = ledger_.commit(submission.changes);
    // A conflict is the submission's own fault; anything else is the disk's, which may recover.
    const bool refused_by_disk = !outcomes.ok() && outcomes.error().code != ErrorCode::conflict;
    healthy_ = !refused_by_disk;
    if (refused_by_disk && submission.insist == Insist::yes && wait_before_retry()) continue;
    if (submission.done) submission.done(std::move(outcomes));
    return;
  }
}

bool LedgerWriter::wait_before_retry() {
  std::unique_lock hold(mutex_);
  changed_.wait_for(hold, retry_interval, [&] { return stopping_; });
  return !stopping_;
}

}  // namespace penstock::queue
