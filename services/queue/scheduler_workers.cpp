// The scheduler's workers: who comes and goes, what they report, what silence and time mean.
#include <algorithm>

#include "services/queue/scheduler.hpp"

namespace penstock::queue {

// ---- coming and going ----

void Scheduler::join(const wire::Hello& hello) {
  const auto older = pool_.find(hello.name);
  if (older && *older != peer_of(hello.name, hello.incarnation)) leave(*older, Leaving::lost);
  pool_.join(hello, clock_.steady_now());
}

void Scheduler::leave(const Peer& peer, Leaving why) {
  pool_.remove(peer);
  const std::vector<Key> leased(leased_.begin(), leased_.end());
  for (const Key& key : leased) {
    const Found found = at(key);
    const Lease& lease = found.partition->lease;
    const bool synthesising = found.partition->record.state == PartitionState::synthesis;
    // A staged partition has left its synthesis worker. One in synthesis has lost its slab's owner.
    if (lease.gpu != peer && !(lease.synthesis == peer && synthesising)) continue;
    if (why == Leaving::lost) {
      lose(*found.job, *found.partition, "worker_lost");
    } else {
      cancel_lease(*found.job, *found.partition);
      requeue(*found.job, *found.partition, "worker_left");
    }
  }
}

bool Scheduler::heard(const Peer& peer) {
  Worker* worker = pool_.get(peer);
  if (worker) worker->last_heard = clock_.steady_now();
  return worker != nullptr;
}

void Scheduler::heartbeat(const Peer& peer, const std::vector<wire::PartitionRef>& in_flight) {
  if (!heard(peer)) return;
  for (const wire::PartitionRef& ref : in_flight) confirm(peer, ref);
}

void Scheduler::confirm(const Peer& peer, const wire::PartitionRef& ref) {
  const SteadyTime now = clock_.steady_now();
  const Found found = find_partition(ref.job, ref.index);
  if (!found) {  // nobody waits for it any more
    effects_.cancellations.push_back({.peer = peer, .partition = ref});
    return;
  }
  Partition& partition = *found.partition;
  if (partition.place >= Place::ending) {
    const PartitionState how =
        partition.place == Place::ending ? partition.end.state : partition.record.state;
    // One that is done waits for our acknowledgement, which is on its way.
    if (how != PartitionState::done) effects_.cancellations.push_back({.peer = peer, .partition = ref});
    return;
  }
  pool_.hold(peer, ref.token, now);
  if (partition.place == Place::leased && partition.lease.token == ref.token)
    partition.lease.confirmed = now;
  else if (partition.place != Place::leased && partition.record.attempts == ref.attempt &&
           is_forgotten(ref.token))
    adopt(*found.job, partition, peer, ref.token);
}

bool Scheduler::is_forgotten(FencingToken token) const {
  return static_cast<std::uint64_t>(token) >> 32 < options_.epoch;
}

void Scheduler::adopt(Job& job, Partition& partition, const Peer& peer, FencingToken token) {
  leave_place(job, partition);
  const bool is_gpu = pool_.get(peer)->hello.kind == wire::WorkerKind::gpu;
  partition.place = Place::leased;
  partition.lease = {.token = token,
                     .synthesis = is_gpu ? Peer() : peer,
                     .gpu = is_gpu ? peer : Peer(),
                     .confirmed = clock_.steady_now()};
  leased_.insert(key_of(job, partition));
  set_state(job, partition, PartitionState::synthesis);
  update_meters();
  if (is_gpu) mark_staged(job, partition);
}

// ---- reports ----

void Scheduler::mark_staged(Job& job, Partition& partition) {
  if (partition.record.state != PartitionState::synthesis) return;
  ++staged_count_;
  synthesis_meter_.completed(clock_.steady_now());
  update_meters();
  set_state(job, partition, PartitionState::staged);
}

void Scheduler::progress(const Peer& peer, const wire::PartitionProgress& report) {
  heard(peer);
  const Found found = find_lease(report.partition);
  if (!found) return;
  found.partition->lease.confirmed = clock_.steady_now();
  // The two workers' reports race on two connections: a stage never goes back.
  if (report.stage < wire::PartitionStage::staged) return;
  mark_staged(*found.job, *found.partition);
  if (report.stage == wire::PartitionStage::proving)
    set_state(*found.job, *found.partition, PartitionState::proving);
}

void Scheduler::staged(const Peer& peer, const wire::PartitionStaged& report) {
  heard(peer);
  pool_.release(peer, report.partition.token);
  const Found found = find_partition(report.partition.job, report.partition.index);
  if (!found || found.partition->lease.token != report.partition.token) return;
  Partition& partition = *found.partition;
  // What the commit could not carry to the GPU service, which reports the rest; its result may have come
  // first.
  if (partition.place == Place::leased || partition.place == Place::ending)
    partition.record.phases.add(report.phases);
  if (partition.place != Place::leased) return;
  Lease& lease = partition.lease;
  lease.confirmed = clock_.steady_now();
  const Worker* route = pool_.get(lease.gpu);
  if (!route || route->hello.incarnation != report.gpu)
    lease.gpu = pool_.find_gpu(report.gpu).value_or(Peer());
  mark_staged(*found.job, partition);
}

void Scheduler::failed(const Peer& peer, const wire::PartitionFailed& report) {
  heard(peer);
  pool_.release(peer, report.partition.token);
  Notice acknowledgement{.peer = peer, .partition = report.partition};
  const Found found = find_lease(report.partition);
  if (!found) {
    effects_.acknowledgements.push_back(std::move(acknowledgement));
    return;
  }
  if (peer == found.partition->lease.synthesis)
    pool_.release(found.partition->lease.gpu, report.partition.token);
  found.partition->record.phases.add(report.phases);
  retry_or_fail(*found.job, *found.partition, report.error, report.retryable ? Retry::yes : Retry::no);
  if (found.partition->place == Place::ending)
    found.partition->results.push_back(std::move(acknowledgement));
  else
    effects_.acknowledgements.push_back(std::move(acknowledgement));
}

void Scheduler::proved(const Peer& peer, const wire::PartitionProved& report) {
  heard(peer);
  pool_.release(peer, report.partition.token);
  Notice acknowledgement{.peer = peer, .partition = report.partition};
  const Found found = find_partition(report.partition.job, report.partition.index);
  if (!found || found.partition->place == Place::ended) {
    effects_.acknowledgements.push_back(std::move(acknowledgement));
    return;
  }
  Partition& partition = *found.partition;
  if (partition.place != Place::ending) {
    const bool current = partition.place == Place::leased && partition.lease.token == report.partition.token;
    if (current) mark_staged(*found.job, partition);
    if (!current) cancel_lease(*found.job, partition);  // a newer attempt is no longer needed
    gpu_meter_.completed(clock_.steady_now());
    partition.record.phases.add(report.phases);
    end(*found.job, partition,
        {.state = PartitionState::done,
         .proof_json = report.proof_json,
         .public_json = report.public_json,
         .device = report.device});
  }
  partition.results.push_back(std::move(acknowledgement));
}

void Scheduler::unsendable(const wire::PartitionRef& ref, const Error& error, Retry retry) {
  const Found found = find_lease(ref);
  if (!found) return;
  pool_.release(found.partition->lease.synthesis, ref.token);
  pool_.release(found.partition->lease.gpu, ref.token);
  retry_or_fail(*found.job, *found.partition, error, retry);
}

// ---- time ----

void Scheduler::tick() {
  const SteadyTime now = clock_.steady_now();
  for (const Peer& peer : pool_.silent_since(now - options_.heartbeat_timeout)) {
    leave(peer, Leaving::lost);
    effects_.lost.push_back(peer);
  }
  pool_.expire_holds(now - options_.lease_timeout);
  const std::vector<Key> leased(leased_.begin(), leased_.end());
  for (const Key& key : leased) {
    const Found found = at(key);
    if (found.partition->lease.confirmed < now - options_.lease_timeout)
      lose(*found.job, *found.partition, "lease_expired");
  }
  while (!retries_.empty() && retries_.begin()->first <= now) {
    const Found found = at(retries_.begin()->second);
    leave_place(*found.job, *found.partition);
    make_ready(*found.job, *found.partition);
  }
  const WallMillis today = to_millis(clock_.wall_now());
  while (!deadlines_.empty() && deadlines_.begin()->first <= today) {
    const std::uint64_t sequence = deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    fail(jobs_.at(sequence).record.id,
         Error{.code = ErrorCode::deadline,
               .what = "the job's deadline has passed before its proof was there"});
  }
}

}  // namespace penstock::queue
