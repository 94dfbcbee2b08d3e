// Compiles the programs of offered circuits on a thread of its own, one after the other, so that tasks find
// them compiled. Best effort: a circuit that is not compiled yet is interpreted. Ownership: borrows the
// shelf. Threads: offer() from any. Destruction stops the compile in work.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "common/runtime/worker_loop.hpp"
#include "services/synthesis/circuit_shelf.hpp"

namespace penstock::synthesis {

class CompileAhead {
 public:
  /// Called on the compiling thread: the circuit, how long it took, and how it went.
  using Compiled = std::function<void(const wire::CircuitRef&, std::chrono::nanoseconds, const Status&)>;
  CompileAhead(CircuitShelf& circuits, ProgramOptions programs, Compiled compiled);
  ~CompileAhead();

  /// Once per circuit; later offers of the same do nothing.
  void offer(const wire::CircuitRef& circuit);

 private:
  void compile(const wire::CircuitRef& circuit);

  CircuitShelf& circuits_;
  const ProgramOptions programs_;
  Compiled compiled_;
  std::set<CircuitId> seen_;
  std::stop_source stop_;
  runtime::BoundedQueue<wire::CircuitRef> queue_;
  runtime::WorkerLoop<wire::CircuitRef> worker_;
};

}  // namespace penstock::synthesis
