#include "services/queue/worker_pool.hpp"

#include <algorithm>

#include "common/circuit/packed_layout.hpp"

namespace penstock::queue {

Peer peer_of(const WorkerName& name, const Incarnation& incarnation) {
  return name.text() + "/" + incarnation.text();
}

void WorkerPool::join(const wire::Hello& hello, SteadyTime now) {
  Worker& worker = workers_[peer_of(hello.name, hello.incarnation)];
  worker.hello = hello;
  worker.last_heard = now;
}

std::optional<Peer> WorkerPool::find(const WorkerName& name) const {
  for (const auto& [peer, worker] : workers_)
    if (worker.hello.name == name) return peer;
  return std::nullopt;
}

std::optional<Peer> WorkerPool::find_gpu(const Incarnation& incarnation) const {
  for (const auto& [peer, worker] : workers_)
    if (worker.hello.kind == wire::WorkerKind::gpu && worker.hello.incarnation == incarnation) return peer;
  return std::nullopt;
}

Worker* WorkerPool::get(const Peer& peer) {
  const auto found = workers_.find(peer);
  return found == workers_.end() ? nullptr : &found->second;
}

void WorkerPool::hold(const Peer& peer, FencingToken token, SteadyTime now) {
  if (Worker* worker = get(peer)) worker->holds[token] = now;
}

void WorkerPool::release(const Peer& peer, FencingToken token) {
  if (Worker* worker = get(peer)) worker->holds.erase(token);
}

void WorkerPool::expire_holds(SteadyTime before) {
  for (auto& [peer, worker] : workers_)
    std::erase_if(worker.holds, [&](const auto& held) { return held.second < before; });
}

std::vector<Peer> WorkerPool::silent_since(SteadyTime before) const {
  std::vector<Peer> silent;
  for (const auto& [peer, worker] : workers_)
    if (worker.last_heard < before) silent.push_back(peer);
  return silent;
}

namespace {

/// An ipc socket is its own host's; a loopback address too, but a tunnel may end there.
bool is_reachable(const Worker& gpu) {
  const auto& endpoints = gpu.hello.data_endpoints;
  return std::any_of(endpoints.begin(), endpoints.end(),
                     [](const std::string& one) { return one.starts_with("tcp://"); });
}

bool is_nearer(const Worker& one, const Worker& other, const std::string& host_id) {
  return one.hello.host_id == host_id && other.hello.host_id != host_id;
}

bool has_room(const Worker& gpu, const wire::CircuitRef& circuit) {
  return gpu.hello.arena_bytes == 0 || gpu.hello.arena_bytes >= slab_bytes_of(circuit);  // 0: not told
}

}  // namespace

const Worker* WorkerPool::least_loaded_gpu(const wire::CircuitRef& circuit,
                                           const std::string& host_id) const {
  const Worker* best = nullptr;
  for (const auto& [peer, worker] : workers_) {
    if (worker.hello.kind != wire::WorkerKind::gpu || worker.is_draining()) continue;
    if (circuit.insecure_dev && !worker.hello.allow_insecure_keys) continue;
    // Shared memory first; else a service that other hosts can reach.
    if (worker.hello.host_id != host_id && !is_reachable(worker)) continue;
    if (best && is_nearer(*best, worker, host_id)) continue;
    if (best && is_nearer(worker, *best, host_id)) best = nullptr;
    // One whose arena is too small refuses by name, which is better than a partition that waits for ever.
    const bool roomier = best && has_room(worker, circuit) && !has_room(*best, circuit);
    const bool cramped = best && !has_room(worker, circuit) && has_room(*best, circuit);
    if (!best || roomier || (!cramped && worker.holds.size() < best->holds.size())) best = &worker;
  }
  return best;
}

std::uint64_t slab_bytes_of(const wire::CircuitRef& circuit) {
  using namespace circuit::packed;
  const std::uint64_t blocks = blocks_of(circuit.variables);
  return first_block_offset(blocks) + blocks * sizeof(BlockHead) + circuit.variables * value_bytes;
}

std::optional<std::uint64_t> WorkerPool::largest_arena_if_too_small(const wire::CircuitRef& circuit) const {
  std::optional<std::uint64_t> largest;
  for (const auto& [peer, worker] : workers_) {
    if (worker.hello.kind != wire::WorkerKind::gpu) continue;
    if (has_room(worker, circuit)) return std::nullopt;
    largest = std::max(largest.value_or(0), worker.hello.arena_bytes);
  }
  return largest;
}

std::optional<Pair> WorkerPool::choose(const wire::CircuitRef& circuit) const {
  const Worker* synthesis = nullptr;
  const Worker* gpu = nullptr;
  for (const auto& [peer, worker] : workers_) {
    if (worker.hello.kind != wire::WorkerKind::synthesis || worker.credits_free() == 0) continue;
    if (synthesis && worker.credits_free() <= synthesis->credits_free()) continue;
    if (const Worker* route = least_loaded_gpu(circuit, worker.hello.host_id)) {
      synthesis = &worker;
      gpu = route;
    }
  }
  if (!synthesis) return std::nullopt;
  return Pair{.synthesis = peer_of(synthesis->hello.name, synthesis->hello.incarnation),
              .gpu = peer_of(gpu->hello.name, gpu->hello.incarnation)};
}

std::uint32_t WorkerPool::count(wire::WorkerKind kind) const {
  return static_cast<std::uint32_t>(std::count_if(
      workers_.begin(), workers_.end(), [&](const auto& entry) { return entry.second.hello.kind == kind; }));
}

std::uint32_t WorkerPool::count_draining(wire::WorkerKind kind) const {
  return static_cast<std::uint32_t>(std::count_if(workers_.begin(), workers_.end(), [&](const auto& entry) {
    return entry.second.hello.kind == kind && entry.second.is_draining();
  }));
}

std::uint32_t WorkerPool::credits_free(wire::WorkerKind kind) const {
  std::uint32_t total = 0;
  for (const auto& [peer, worker] : workers_)
    if (worker.hello.kind == kind) total += worker.credits_free();
  return total;
}

std::uint32_t WorkerPool::credits_total(wire::WorkerKind kind) const {
  std::uint32_t total = 0;
  for (const auto& [peer, worker] : workers_)
    if (worker.hello.kind == kind) total += worker.hello.credits;
  return total;
}

}  // namespace penstock::queue
