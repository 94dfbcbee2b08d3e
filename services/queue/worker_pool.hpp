// The connected workers as the scheduler sees them: who they are, what they hold, which pair takes a
// partition. Shape: pure state; nothing is sent from here. Threads: one. Cost: all operations are linear in
// the number of workers at most.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/clock.hpp"
#include "common/wire/messages.hpp"
#include "services/queue/model.hpp"

namespace penstock::queue {

/// A worker's one boot: the router's routing id, name + "/" + incarnation.
using Peer = std::string;
[[nodiscard]] Peer peer_of(const WorkerName& name, const Incarnation& incarnation);

struct Worker {
  wire::Hello hello;
  SteadyTime last_heard{};
  /// Leases it holds, by fencing token, and when each was last known to be held. For a synthesis worker each
  /// is one used credit, from the task until it is staged or given up; for a GPU service each is load.
  std::map<FencingToken, SteadyTime> holds;

  /// A worker that drains says Hello again without credits. It keeps what it holds and gets no more.
  [[nodiscard]] bool is_draining() const { return hello.credits == 0; }
  [[nodiscard]] std::uint32_t credits_free() const {
    const auto used = static_cast<std::uint32_t>(holds.size());
    return used >= hello.credits ? 0 : hello.credits - used;
  }
};

/// A synthesis worker and the GPU service that its slab is to come from.
struct Pair {
  Peer synthesis, gpu;
};

class WorkerPool {
 public:
  /// Adds or, for the same boot, refreshes; holds survive a reconnection.
  void join(const wire::Hello& hello, SteadyTime now);
  /// The boot that is connected under this name, if any.
  [[nodiscard]] std::optional<Peer> find(const WorkerName& name) const;
  [[nodiscard]] std::optional<Peer> find_gpu(const Incarnation& incarnation) const;
  [[nodiscard]] Worker* get(const Peer& peer);
  [[nodiscard]] const std::map<Peer, Worker>& all() const { return workers_; }
  void remove(const Peer& peer) { workers_.erase(peer); }

  void hold(const Peer& peer, FencingToken token, SteadyTime now);
  void release(const Peer& peer, FencingToken token);
  /// Forgets holds that nothing has confirmed since `before`.
  void expire_holds(SteadyTime before);
  /// Not heard since `before`.
  [[nodiscard]] std::vector<Peer> silent_since(SteadyTime before) const;

  /// The pair that takes a partition of this circuit now: the synthesis worker with most free credits whose
  /// host has a GPU service that accepts the circuit, or that can reach one elsewhere over tcp, and the least
  /// loaded of the nearest. nullopt: it must wait.
  [[nodiscard]] std::optional<Pair> choose(const wire::CircuitRef& circuit) const;
  /// The largest arena, when GPU services are there and none has room for one partition of the circuit.
  [[nodiscard]] std::optional<std::uint64_t> largest_arena_if_too_small(
      const wire::CircuitRef& circuit) const;
  [[nodiscard]] std::uint32_t count(wire::WorkerKind kind) const;
  [[nodiscard]] std::uint32_t count_draining(wire::WorkerKind kind) const;
  [[nodiscard]] std::uint32_t credits_free(wire::WorkerKind kind) const;
  [[nodiscard]] std::uint32_t credits_total(wire::WorkerKind kind) const;

 private:
  [[nodiscard]] const Worker* least_loaded_gpu(const wire::CircuitRef& circuit,
                                               const std::string& host_id) const;
  std::map<Peer, Worker> workers_;
};

/// The most that one packed partition of the circuit takes of an arena.
[[nodiscard]] std::uint64_t slab_bytes_of(const wire::CircuitRef& circuit);

}  // namespace penstock::queue
