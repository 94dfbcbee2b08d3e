// Verifies every proof off the lanes, and finds out who erred when one does not verify. Nothing unverified
// passes.
// Ownership: owns its threads; borrows the second opinion. Threads: finish() from any; `done` is called on a
// finisher thread, after the slab was wiped.
// Cost: one pairing check a partition (milliseconds); a second proof on the host when that fails.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "services/gpu/second_opinion.hpp"
#include "services/gpu/staged_partition.hpp"

namespace penstock::gpu {

struct FinishedPartition {
  StagedPartitionPtr partition;
  std::string proof_json, public_json;  ///< when `error` is empty
  std::optional<Error> error;
  bool retryable = false;     ///< the input is not to blame
  bool device_erred = false;  ///< the device's proof was wrong, the host's was right
};

class Finisher {
 public:
  using Done = std::function<void(FinishedPartition)>;
  struct Options {
    int threads = 1;
  };
  Finisher(const Options& options, SecondOpinion& second_opinion, Done done);
  /// Finishes what it holds, then joins.
  ~Finisher();
  Finisher(const Finisher&) = delete;
  Finisher& operator=(const Finisher&) = delete;

  void finish(StagedPartitionPtr partition, groth16::ProvedPartition proved);
  /// A partition whose proof was not made: wiped and handed on.
  void fail(StagedPartitionPtr partition, Error error, bool retryable);

 private:
  struct Failure {
    Error error;
    bool retryable;
  };
  struct Work {
    StagedPartitionPtr partition;
    std::variant<groth16::ProvedPartition, Failure> outcome;
  };
  void enqueue(Work work);
  void run(std::stop_token stop);
  [[nodiscard]] static bool is_as_committed(const StagedPartition& partition);
  [[nodiscard]] FinishedPartition settle(Work work);
  [[nodiscard]] FinishedPartition outcome_of(Work work);
  [[nodiscard]] FinishedPartition judge(StagedPartitionPtr partition, groth16::ProvedPartition proved);
  [[nodiscard]] FinishedPartition ask_the_host(StagedPartitionPtr partition);

  SecondOpinion& second_opinion_;
  Done done_;
  std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::deque<Work> waiting_;
  std::vector<std::jthread> threads_;
};

}  // namespace penstock::gpu
