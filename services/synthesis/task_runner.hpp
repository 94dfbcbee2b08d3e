// One task from the queue, from its input to an accepted slab: witness, r1cs_check, pack, slab_wait, stage.
// Ownership: borrows its parts. Threads: run() from any number of worker threads at once; it blocks.
// Errors: the outcome's PartitionFailed, with what, where and whether another attempt may do better.
// Security: input and witness are wiped; neither is ever logged.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <variant>

#include "common/base/clock.hpp"
#include "common/staging/stager.hpp"
#include "common/wire/messages.hpp"
#include "services/synthesis/circuit_shelf.hpp"

namespace penstock::synthesis {

struct TaskOptions {
  ProgramOptions programs;
  std::chrono::milliseconds witness_time_limit{60'000};
  std::uint64_t witness_memory_limit = std::uint64_t{4} << 30;
  bool check_r1cs = true;
  int check_threads = 1;
  staging::StagerOptions staging;
};

using TaskOutcome = std::variant<wire::PartitionStaged, wire::PartitionFailed>;

class TaskRunner {
 public:
  TaskRunner(const TaskOptions& options, CircuitShelf& circuits, staging::StagingLink& link,
             staging::Arenas& arenas, const Clock& clock)
      : options_(options), circuits_(circuits), link_(link), arenas_(arenas), clock_(clock) {}

  using Progress = std::function<void(wire::PartitionStage)>;
  /// `phases` holds what was measured, also of a failure; the outcome's are those its receiver has not got
  /// yet.
  [[nodiscard]] TaskOutcome run(wire::SynthesisTask task, std::stop_token stop, const Progress& progress,
                                telemetry::PhaseTimes& phases) const;

 private:
  struct Failure {
    Error error;
    bool retryable = false;
  };
  struct Attempt;
  const TaskOptions& options_;
  CircuitShelf& circuits_;
  staging::StagingLink& link_;
  staging::Arenas& arenas_;
  const Clock& clock_;
};

/// May another worker, or the same one later, do better with the same input?
[[nodiscard]] bool is_retryable(ErrorCode code);

}  // namespace penstock::synthesis
