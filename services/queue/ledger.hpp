// The ledger: the queue's durable memory of jobs, partitions, results and circuits. What commit() has
// returned survives the death of the process and of the machine; nothing else does.
// Shape: a log of typed changes applied in order, each batch one transaction; reads see committed state only.
// Ownership: one ledger belongs to one queue process; opening one that another process holds is `conflict`.
// Threads: commit(), start_epoch() and purge() from one thread at a time; the reads from any thread, at any
//   time, also during a commit.
// Errors: file_unwritable (disk full, read-only, lost), unsupported_version (written by a newer program),
//   conflict (held by another process; a change that breaks a REQUIRES below), bad_format (not a ledger).
//   After a failed commit nothing of its batch is stored, and the same batch may be committed again.
// Cost: commit() is one fsync whatever the size of the batch: callers group (LedgerWriter). Reads are
//   indexed.
// A newcomer (PostgreSQL) implements this interface and is listed in tests/contract/ledger: the suite there
// is its specification.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.hpp"
#include "services/queue/model.hpp"

namespace penstock::queue {

/// An idempotency key as it is stored: hashes, so that neither the key nor a low-entropy input can be read
/// back.
struct IdempotencyMark {
  std::string key_hash;   ///< of the key; unique
  std::string body_hash;  ///< of the request, keyed with the idempotency key
  auto operator<=>(const IdempotencyMark&) const = default;
};

// ---- changes ----
/// A job with all its partitions, queued. REQUIRES an id that no job has.
struct JobAdmitted {
  JobRecord job;  ///< `sequence` is ignored and given by the ledger
  std::optional<IdempotencyMark> idempotency = {};
};
/// An attempt began: the job runs, the partition counts one attempt more.
struct PartitionLeased {
  JobId job;
  std::uint32_t index = 0;
  std::uint32_t attempts = 0;
};
/// An attempt ended without a result; the partition waits for another one.
struct PartitionRequeued {
  JobId job;
  std::uint32_t index = 0;
  std::uint32_t failures = 0, losses = 0;
  telemetry::PhaseTimes phases = {};  ///< so far
};
struct PartitionEnded {
  JobId job;
  std::uint32_t index = 0;
  PartitionEnd end;
  telemetry::PhaseTimes phases = {};
};
/// A last look at the phases of a partition that has ended (the reply is over only after the commit above).
struct PartitionMeasured {
  JobId job;
  std::uint32_t index = 0;
  telemetry::PhaseTimes phases;
};
struct JobEnded {
  JobId job;
  JobState state = JobState::done;
  WallMillis finished{};
};
/// Replaces nothing: REQUIRES a name that no circuit has.
struct CircuitAdded {
  CircuitRecord circuit;
};
/// The symbols of a circuit have come later: it has them from now on, under every name.
struct SymbolsAdded {
  CircuitId circuit;
};
struct CircuitRemoved {
  std::string name;
};
using Change = std::variant<JobAdmitted, PartitionLeased, PartitionRequeued, PartitionEnded,
                            PartitionMeasured, JobEnded, CircuitAdded, SymbolsAdded, CircuitRemoved>;

/// What became of one change of a batch.
struct Outcome {
  std::uint64_t sequence = 0;  ///< JobAdmitted: the order of admission
  /// JobAdmitted under an idempotency key that is taken: nothing was stored, this job owns the key.
  struct Existing {
    JobId job;
    bool same_body = false;
  };
  std::optional<Existing> existing = {};
};

struct JobFilter {
  std::optional<JobState> state = {};
  std::uint32_t limit = 100;
};
struct JobSummary {
  JobRecord job;  ///< without its partitions
  std::uint32_t partitions = 0, done = 0, failed = 0, cancelled = 0;
};

class Ledger {
 public:
  virtual ~Ledger() = default;

  /// Once per start of the process: a number that no earlier start was given (durable). Fencing tokens of
  /// this process begin with it.
  [[nodiscard]] virtual Result<std::uint64_t> start_epoch() = 0;

  /// Applies the changes in order, atomically and durably; one outcome per change. A change to a partition or
  /// job that is unknown or already finished has no effect (delivery is at least once).
  [[nodiscard]] virtual Result<std::vector<Outcome>> commit(std::span<const Change> changes) = 0;

  /// Forgets at most `limit` jobs that finished before `before`, with their idempotency keys; how many.
  [[nodiscard]] virtual Result<std::uint64_t> purge(WallMillis before, std::uint32_t limit) = 0;

  /// Every job that is not finished, in order of admission: what a restart continues with.
  [[nodiscard]] virtual Result<std::vector<JobRecord>> unfinished() const = 0;
  [[nodiscard]] virtual Result<std::optional<JobRecord>> find(const JobId& job) const = 0;
  /// The job that owns an idempotency key.
  [[nodiscard]] virtual Result<std::optional<Outcome::Existing>> find(const IdempotencyMark& mark) const = 0;
  /// Newest first.
  [[nodiscard]] virtual Result<std::vector<JobSummary>> list(const JobFilter& filter) const = 0;
  /// By name.
  [[nodiscard]] virtual Result<std::vector<CircuitRecord>> circuits() const = 0;
};

}  // namespace penstock::queue
