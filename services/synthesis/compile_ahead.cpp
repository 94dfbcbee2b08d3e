#include "services/synthesis/compile_ahead.hpp"

#include <utility>

namespace penstock::synthesis {
namespace {

constexpr std::size_t most_waiting = 256;
/// Circuit ids that are remembered; beyond it they are offered anew, which costs a look into the cache each.
constexpr std::size_t most_seen = 4096;

}  // namespace

CompileAhead::CompileAhead(CircuitShelf& circuits, ProgramOptions programs, Compiled compiled)
    : circuits_(circuits),
      programs_(std::move(programs)),
      compiled_(std::move(compiled)),
      queue_(most_waiting),
      worker_(
          "compile", queue_,
          [this](const wire::CircuitRef& circuit, const std::stop_token&) { compile(circuit); },
          [](const std::exception_ptr&) {}) {}

CompileAhead::~CompileAhead() {
  worker_.request_stop();
  stop_.request_stop();
  queue_.close();
}

void CompileAhead::offer(const wire::CircuitRef& circuit) {
  if (!circuit.has_wasm) return;
  if (seen_.size() >= most_seen) seen_.clear();
  if (!seen_.insert(circuit.id).second) return;
  wire::CircuitRef copy = circuit;
  static_cast<void>(queue_.try_push(std::move(copy)));
}

void CompileAhead::compile(const wire::CircuitRef& circuit) {
  const auto begin = std::chrono::steady_clock::now();
  const auto run = [&]() -> Status {
    const auto open = PENSTOCK_TRY(circuits_.get(circuit));
    const auto program = PENSTOCK_TRY(open->program(programs_));
    return program->compile(stop_.get_token(), {});
  };
  const Status status = run();
  if (!stop_.stop_requested()) compiled_(circuit, std::chrono::steady_clock::now() - begin, status);
}

}  // namespace penstock::synthesis
