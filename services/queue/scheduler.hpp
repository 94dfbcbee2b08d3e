// The scheduler: decides which partition goes to which workers, and what a message, a silence or a clock
// means for it. Pure logic: no socket, no disk, no thread. Shape: calls change the state and collect Effects;
// take() hands them out. A partition that has ended is not
//   shown as ended before committed() says that the ledger holds it.
// Order: priority, then the job's admission, then the partition's index; no two partitions compare equal.
// Fencing: every lease has its own token, larger than all before it. A success is used whatever its token;
// any
//   other message with a token that is not the partition's current lease changes nothing.
// Threads: one owner. Errors: conflict, not_found, overloaded, body_too_large, as named at the calls.
// Cost: O(log n) a message, O(leased) a tick.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

#include "services/queue/backlog_meter.hpp"
#include "services/queue/effects.hpp"

namespace penstock::queue {

struct SchedulerOptions {
  std::uint32_t max_queued_partitions = 10'000;
  std::uint32_t max_attempts = 3;  ///< attempts that may end in a reported failure
  /// Attempts whose worker vanished are not the partition's fault, but one that kills its workers must end.
  std::uint32_t max_losses = 12;
  std::chrono::milliseconds lease_timeout{15'000};
  std::chrono::milliseconds heartbeat_timeout{5'000};
  std::chrono::milliseconds first_backoff{500};
  std::chrono::milliseconds longest_backoff{30'000};
  /// After a restart of the queue: how long a partition that was leased waits for the worker that still works
  /// on it to come back and say so, before somebody else gets it. 0: not at all.
  std::chrono::milliseconds recovery_grace{7'000};
  std::uint64_t epoch = 1;  ///< from the ledger; the high half of every token
};

/// Numbers for gauges and `penstock status`, computed from the state itself: they cannot drift.
struct SchedulerStatus {
  struct Depth {
    std::uint32_t queued = 0, retry_wait = 0, synthesis = 0, staged = 0, proving = 0;
  };
  std::array<Depth, 4> by_priority{};
  std::uint32_t jobs = 0, reserved = 0;
  double oldest_age_seconds = 0;
  double synthesis_backlog_seconds = 0, gpu_backlog_seconds = 0;
  double staged_per_second = 0, proved_per_second = 0;
};

class Scheduler {
 public:
  Scheduler(const Clock& clock, const SchedulerOptions& options) : clock_(clock), options_(options) {}

  // ---- jobs ----
  /// Room for `partitions` more, held until add() or unreserve(). Errors: body_too_large (more than the whole
  /// queue holds: it would never fit), overloaded.
  [[nodiscard]] Status reserve(std::uint32_t partitions);
  void unreserve(std::uint32_t partitions);
  /// A durable job, new or recovered: its unfinished partitions wait for workers from now on.
  void add(const JobRecord& job, const wire::CircuitRef& circuit, telemetry::Duration admit);
  /// Every partition that has not ended ends as cancelled; a job whose partitions have all ended stays as it
  /// is. Errors: not_found (unknown or finished).
  [[nodiscard]] Status cancel(const JobId& job);
  /// Every partition that has not ended fails with this error.
  void fail(const JobId& job, const Error& error);
  /// The job as clients may see it; nullopt when it is unknown or finished (then the ledger knows it).
  [[nodiscard]] std::optional<JobRecord> find(const JobId& job) const;
  /// Unfinished jobs of a circuit.
  [[nodiscard]] std::uint32_t jobs_of(const CircuitId& circuit) const;
  /// How long a refused client should wait, from the measured backlog: 1 s to 1 h.
  [[nodiscard]] std::chrono::seconds retry_after() const;

  // ---- workers ----
  enum class Leaving : std::uint8_t { lost, goodbye };
  /// An older boot under the same name is dropped at once.
  void join(const wire::Hello& hello);
  void leave(const Peer& peer, Leaving why);
  /// False when nobody is connected under `peer`.
  bool heard(const Peer& peer);
  void heartbeat(const Peer& peer, const std::vector<wire::PartitionRef>& in_flight);
  [[nodiscard]] const WorkerPool& workers() const { return pool_; }

  // ---- what workers report ----
  void progress(const Peer& peer, const wire::PartitionProgress& report);
  void staged(const Peer& peer, const wire::PartitionStaged& report);
  void failed(const Peer& peer, const wire::PartitionFailed& report);
  void proved(const Peer& peer, const wire::PartitionProved& report);
  /// The input of an assignment could not be read, or its message not be sent.
  enum class Retry : std::uint8_t { no, yes };
  void unsendable(const wire::PartitionRef& partition, const Error& error, Retry retry);

  // ---- time and effects ----
  void tick();
  /// Gives partitions to workers while credits last. Nothing when draining.
  void assign();
  void drain() { draining_ = true; }
  /// Is anything leased, or ended and not yet durable?
  [[nodiscard]] bool idle() const;
  /// The ledger holds these changes (as they were handed out).
  void committed(std::span<const Change> changes);
  /// True when `partition` is the current lease.
  [[nodiscard]] bool is_current(const wire::PartitionRef& partition) const;
  [[nodiscard]] Effects take() { return std::exchange(effects_, {}); }
  [[nodiscard]] SchedulerStatus status() const;

 private:
  enum class Place : std::uint8_t { ready, retry, leased, ending, ended };
  struct Lease {
    FencingToken token{};
    Peer synthesis, gpu;
    SteadyTime confirmed{};  ///< when a worker last showed that it holds it
  };
  struct Partition {
    PartitionRecord record;
    Place place = Place::ready;
    Lease lease;                  ///< leased only
    SteadyTime waiting_since{};   ///< ready and retry
    SteadyTime retry_at{};        ///< retry
    SteadyTime result_at{};       ///< ending
    PartitionEnd end;             ///< ending
    std::vector<Notice> results;  ///< ending: to be acknowledged once durable
  };
  struct Job {
    JobRecord record;  ///< its partitions live below
    wire::CircuitRef circuit;
    std::vector<Partition> partitions;
    std::uint32_t open = 0;  ///< partitions neither ending nor ended
  };
  /// A partition's place in every ordered set: unique by sequence and index.
  struct Key {
    std::uint8_t urgency = 0;  ///< 0 = most urgent
    std::uint64_t sequence = 0;
    std::uint32_t index = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Found {
    Job* job = nullptr;
    Partition* partition = nullptr;
    explicit operator bool() const { return partition != nullptr; }
  };

  [[nodiscard]] static Key key_of(const Job& job, const Partition& partition);
  [[nodiscard]] Found find_partition(const JobId& job, std::uint32_t index);
  [[nodiscard]] Found find_lease(const wire::PartitionRef& ref);
  [[nodiscard]] Found at(const Key& key);
  void make_ready(Job& job, Partition& partition);
  void wait_for_retry(Job& job, Partition& partition, std::chrono::milliseconds delay);
  void leave_place(Job& job, Partition& partition);
  void lease(Job& job, Partition& partition, const Pair& pair);
  void requeue(Job& job, Partition& partition, const std::string& reason);
  void lose(Job& job, Partition& partition, const std::string& reason);
  void confirm(const Peer& peer, const wire::PartitionRef& ref);
  /// Given by an earlier start of the queue. Those of this start were taken back when they left the books.
  [[nodiscard]] bool is_forgotten(FencingToken token) const;
  /// A worker still works on a lease that this process has forgotten (it was restarted): the lease stands.
  void adopt(Job& job, Partition& partition, const Peer& peer, FencingToken token);
  void retry_or_fail(Job& job, Partition& partition, const Error& error, Retry retry);
  void end(Job& job, Partition& partition, PartitionEnd end);
  void end_job_when_closed(Job& job);
  void cancel_lease(const Job& job, const Partition& partition);
  void touch(const Job& job, const Partition& partition);
  void mark_staged(Job& job, Partition& partition);
  void set_state(Job& job, Partition& partition, PartitionState state);
  void partition_committed(const PartitionEnded& change);
  void job_committed(const JobEnded& change);
  void update_meters();
  [[nodiscard]] wire::PartitionRef ref_of(const Job& job, const Partition& partition) const;
  [[nodiscard]] JobRecord record_of(const Job& job) const;

  const Clock& clock_;
  SchedulerOptions options_;
  WorkerPool pool_;
  Effects effects_;
  std::map<std::uint64_t, Job> jobs_;
  std::unordered_map<JobId, std::uint64_t> sequences_;
  std::set<Key> ready_, leased_;
  std::set<std::pair<SteadyTime, Key>> retries_;
  std::set<std::pair<WallMillis, std::uint64_t>> deadlines_;
  std::uint32_t reserved_ = 0, ending_ = 0, staged_count_ = 0;
  std::uint64_t last_token_ = 0;
  bool draining_ = false;
  BacklogMeter synthesis_meter_, gpu_meter_;
};

}  // namespace penstock::queue
