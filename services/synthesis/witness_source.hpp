// Where a task's witness comes from: a .wtns that came with the task, or the circuit's program.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <variant>
#include <vector>

#include "common/telemetry/phase_times.hpp"
#include "common/wire/messages.hpp"
#include "services/synthesis/circuit_shelf.hpp"

namespace penstock::synthesis {

struct WitnessLimits {
  std::chrono::milliseconds time{60'000};
  std::uint64_t memory_bytes = 0;
};

/// A witness with whatever keeps its values alive. A given one views the task's input.
class TaskWitness {
 public:
  explicit TaskWitness(circuit::WitnessView given) : source_(given) {}
  explicit TaskWitness(ComputedWitness computed) : source_(std::move(computed)) {}
  [[nodiscard]] circuit::WitnessView view() const {
    if (const auto* computed = std::get_if<ComputedWitness>(&source_)) return computed->view();
    return std::get<circuit::WitnessView>(source_);
  }

 private:
  std::variant<circuit::WitnessView, ComputedWitness> source_;
};

/// Checked: canonical, w[0] = 1. The task outlives the result. Times compile (what was waited for) and
/// witness.
[[nodiscard]] Result<TaskWitness> make_witness(const wire::SynthesisTask& task, OpenCircuit& circuit,
                                               const ProgramOptions& programs, const WitnessLimits& limits,
                                               const std::stop_token& stop,
                                               const std::function<void(wire::PartitionStage)>& progress,
                                               telemetry::PhaseTimes& phases);

}  // namespace penstock::synthesis
