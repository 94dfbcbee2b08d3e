// A scheduler with a fake clock, a ledger that only counts, and short ways to play the workers.
#pragma once

#include <gtest/gtest.h>

#include <deque>

#include "services/queue/scheduler.hpp"
#include "tests/unit/queue/fake_clock.hpp"

namespace penstock::queue::test {

inline SchedulerOptions test_options() {
  SchedulerOptions options;
  options.max_queued_partitions = 100;
  options.recovery_grace = std::chrono::milliseconds(0);
  return options;
}

class SchedulerRig : public testing::Test {
 protected:
  explicit SchedulerRig(const SchedulerOptions& options = test_options()) : scheduler_(clock_, options) {}

  static wire::CircuitRef circuit(const std::string& label = "c") {
    return {.id = CircuitId(label), .name = label, .has_wasm = true};
  }
  static wire::Hello hello(wire::WorkerKind kind, const std::string& worker, std::uint32_t credits = 1,
                           const std::string& boot = "1") {
    wire::Hello hello;
    hello.kind = kind;
    hello.name = WorkerName(worker);
    hello.incarnation = Incarnation(boot);
    hello.credits = credits;
    hello.host_id = "host";
    hello.data_endpoints = {"inproc://" + worker};
    return hello;
  }
  void join_synthesis(const std::string& worker, std::uint32_t credits = 1, const std::string& boot = "1") {
    scheduler_.join(hello(wire::WorkerKind::synthesis, worker, credits, boot));
    collect();
  }
  void join_gpu(const std::string& worker = "g", const std::string& boot = "1") {
    scheduler_.join(hello(wire::WorkerKind::gpu, worker, 4, boot));
    collect();
  }
  void join_pair(std::uint32_t credits = 1) {
    join_gpu();
    join_synthesis("s", credits);
  }

  JobRecord job(const std::string& id, std::uint32_t partitions,
                wire::Priority priority = wire::Priority::normal) {
    JobRecord record;
    record.sequence = ++last_sequence_;
    record.id = JobId(id);
    record.circuit = "c";
    record.circuit_id = CircuitId("c");
    record.priority = priority;
    record.created = to_millis(clock_.wall_now());
    for (std::uint32_t i = 0; i < partitions; ++i) record.partitions.push_back({.index = i});
    return record;
  }
  void add(const JobRecord& record, const wire::CircuitRef& of = circuit()) {
    scheduler_.add(record, of, std::chrono::milliseconds(2));
    collect();
  }
  void add(const std::string& id, std::uint32_t partitions = 1,
           wire::Priority priority = wire::Priority::normal) {
    add(job(id, partitions, priority));
  }

  /// Runs assign() and returns the assignments, in order.
  std::vector<Assignment> assign() {
    scheduler_.assign();
    collect();
    return std::exchange(assignments_, {});
  }
  Assignment assign_one() {
    auto given = assign();
    EXPECT_EQ(given.size(), 1u);
    return given.empty() ? Assignment{} : given[0];
  }
  void tick(std::chrono::milliseconds after = std::chrono::milliseconds(0)) {
    clock_.advance(after);
    scheduler_.tick();
    collect();
  }
  void stage(const Assignment& given) {
    scheduler_.staged(given.synthesis,
                      {.partition = given.partition, .gpu = given.gpu.incarnation, .phases = {}});
    collect();
  }
  void prove(const Assignment& given, const std::string& publics = "[]") {
    scheduler_.proved(peer_of(given.gpu.name, given.gpu.incarnation), {.partition = given.partition,
                                                                       .proof_json = "{}",
                                                                       .public_json = publics,
                                                                       .device = "cpu",
                                                                       .phases = worker_phases_});
    collect();
  }
  enum class Blame { input, worker };
  void fail(const Peer& peer, const Assignment& given, ErrorCode code, Blame blame) {
    scheduler_.failed(peer, {.partition = given.partition,
                             .error = Error{.code = code, .what = "said the worker"},
                             .retryable = blame == Blame::worker,
                             .phases = {}});
    collect();
  }
  void beat(const Peer& peer, std::vector<wire::PartitionRef> in_flight = {}) {
    scheduler_.heartbeat(peer, in_flight);
    collect();
  }

  /// Takes the effects; what the ledger would hold is committed at once unless `hold_commits_`.
  void collect() {
    Effects effects = scheduler_.take();
    const auto append = [](auto& to, auto& from) {
      to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    append(assignments_, effects.assignments);
    append(cancellations_, effects.cancellations);
    append(acknowledged_, effects.acknowledgements);
    append(touched_, effects.partitions);
    append(jobs_, effects.jobs);
    append(lost_, effects.lost);
    append(retries_, effects.retries);
    if (effects.changes.empty()) return;
    uncommitted_.push_back(std::move(effects.changes));
    if (!hold_commits_) commit();
  }
  void commit() {
    while (!uncommitted_.empty()) {
      const auto changes = std::move(uncommitted_.front());
      uncommitted_.pop_front();
      committed_.insert(committed_.end(), changes.begin(), changes.end());
      scheduler_.committed(changes);
      collect();
    }
  }
  /// The last published record of a finished job.
  JobRecord finished(const std::string& id) {
    for (auto record = jobs_.rbegin(); record != jobs_.rend(); ++record)
      if (record->id.text() == id && is_finished(record->state)) return *record;
    ADD_FAILURE() << id << " has not finished";
    return {};
  }
  PartitionState state_of(const std::string& id, std::uint32_t index = 0) {
    const auto record = scheduler_.find(JobId(id));
    EXPECT_TRUE(record) << id;
    return record ? record->partitions.at(index).state : PartitionState::failed;
  }
  template <class Kind>
  [[nodiscard]] std::size_t count_committed() const {
    std::size_t count = 0;
    for (const Change& change : committed_) count += std::holds_alternative<Kind>(change) ? 1 : 0;
    return count;
  }
  std::uint32_t depth_total() {
    std::uint32_t total = 0;
    for (const auto& depth : scheduler_.status().by_priority)
      total += depth.queued + depth.retry_wait + depth.synthesis + depth.staged + depth.proving;
    return total;
  }

  FakeClock clock_;
  Scheduler scheduler_;
  bool hold_commits_ = false;
  std::uint64_t last_sequence_ = 0;
  telemetry::PhaseTimes worker_phases_;
  std::vector<Assignment> assignments_;
  std::vector<Notice> cancellations_, acknowledged_;
  std::vector<PartitionTouched> touched_;
  std::vector<JobRecord> jobs_;
  std::vector<Peer> lost_;
  std::vector<Retried> retries_;
  std::deque<std::vector<Change>> uncommitted_;
  std::vector<Change> committed_;
};

}  // namespace penstock::queue::test
