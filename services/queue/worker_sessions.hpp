// The control conversation with the workers: their messages become calls of the scheduler, its decisions
// become messages. Ownership: borrows everything; the router socket belongs to the loop. Threads: the loop's.
// Errors: a Hello that cannot be welcomed is answered with Refused and a named error; a message from a peer
//   that never said Hello is ignored, except a result: that is used and acknowledged.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/wire/message_loop.hpp"
#include "services/queue/circuit_registry.hpp"
#include "services/queue/scheduler.hpp"

namespace spdlog {
class logger;
}

namespace penstock::queue {

struct WorkerSessionsOptions {
  Incarnation incarnation;  ///< the queue's
  std::chrono::milliseconds heartbeat_interval{1000}, heartbeat_timeout{5000};
};

class WorkerSessions {
 public:
  WorkerSessions(Scheduler& scheduler, const CircuitRegistry& circuits, spdlog::logger& log,
                 const WorkerSessionsOptions& options)
      : scheduler_(scheduler), circuits_(circuits), log_(log), options_(options) {}

  /// Binds the router. `changed` is called after every message that may have changed the scheduler's mind.
  [[nodiscard]] Status bind(wire::MessageLoop& loop, const std::vector<std::string>& addresses,
                            std::function<void()> changed);
  [[nodiscard]] const std::vector<std::string>& endpoints() const { return router_->endpoints(); }

  [[nodiscard]] Status send(const Peer& peer, const wire::Message& message);
  /// To every worker.
  void beat();
  /// Tells every worker about a new circuit.
  void offer(const wire::CircuitRef& circuit);
  /// Tells every worker that a circuit is no longer registered.
  void withdraw(const CircuitId& circuit);
  /// Asks the GPU services to load a circuit, or to free it; how many were asked.
  [[nodiscard]] std::size_t preload(const wire::CircuitRef& circuit);
  [[nodiscard]] std::size_t evict(const wire::CircuitRef& circuit);

 private:
  void receive(const Peer& peer, wire::Message& message);
  void hello(const Peer& peer, const wire::Hello& hello);
  void proved(const Peer& peer, wire::PartitionProved& report);
  void refuse(const Peer& peer, Error error);
  [[nodiscard]] std::size_t tell_gpus(const wire::CircuitRef& circuit, const wire::Message& message);
  /// Insecure keys are not mentioned to GPU services that refuse them.
  [[nodiscard]] static bool may_know(const wire::Hello& worker, const wire::CircuitRef& circuit);

  Scheduler& scheduler_;
  const CircuitRegistry& circuits_;
  spdlog::logger& log_;
  WorkerSessionsOptions options_;
  wire::RouterSocket* router_ = nullptr;
};

}  // namespace penstock::queue
