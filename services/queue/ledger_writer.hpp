// The ledger's one writer: groups what comes in while the last fsync runs into one commit.
// Shape: submissions keep their order; each is committed whole or not at all; `done` is called on the
// writer's
//   thread.
// Ownership: borrows the ledger. The destructor commits what is queued (one try), then joins.
// Threads: submit(), run() and healthy() from any.
// Errors: an insisting submission is tried again while the disk refuses, and everything behind it waits; any
//   other gets the error.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "services/queue/ledger.hpp"

namespace penstock::queue {

class LedgerWriter {
 public:
  using Done = std::function<void(Result<std::vector<Outcome>>)>;
  enum class Insist : std::uint8_t { no, yes };

  explicit LedgerWriter(Ledger& ledger);
  LedgerWriter(const LedgerWriter&) = delete;
  LedgerWriter& operator=(const LedgerWriter&) = delete;
  ~LedgerWriter();

  void submit(std::vector<Change> changes, Insist insist, Done done);
  /// Commits and waits. REQUIRES a thread other than the writer's.
  [[nodiscard]] Result<std::vector<Outcome>> commit(std::vector<Change> changes);
  /// Something else that the ledger wants from its writing thread (a purge).
  void run(std::function<void(Ledger&)> work);
  /// The last commit succeeded.
  [[nodiscard]] bool healthy() const { return healthy_; }

 private:
  struct Submission {
    std::vector<Change> changes;
    Insist insist = Insist::no;
    Done done;
    std::function<void(Ledger&)> work;
  };
  void push(Submission submission);
  void loop();
  std::vector<Submission> next_batch();
  void commit_batch(std::vector<Submission> batch);
  void commit_alone(Submission& submission);
  bool wait_before_retry();

  Ledger& ledger_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Submission> queue_;  // guarded by mutex_
  bool stopping_ = false;         // guarded by mutex_
  std::atomic<bool> healthy_{true};
  std::thread thread_;  // last: it uses the rest
};

}  // namespace penstock::queue
