#include "services/synthesis/task_runner.hpp"

#include <algorithm>
#include <optional>

#include "common/base/sensitive.hpp"
#include "common/circuit/packed_witness.hpp"
#include "services/synthesis/witness_source.hpp"

namespace penstock::synthesis {
namespace {

Error deadline_error() {
  return {.code = ErrorCode::deadline, .what = "the job's deadline has passed before its witness was there"};
}

/// Turns a cancellation that a deadline caused into a deadline's error.
class Deadline {
 public:
  Deadline(const wire::SynthesisTask& task, const Clock& clock) : clock_(clock) {
    if (task.deadline_in) until_ = clock.steady_now() + *task.deadline_in;
  }
  [[nodiscard]] bool passed() const { return until_ && clock_.steady_now() >= *until_; }
  [[nodiscard]] std::chrono::milliseconds cut(std::chrono::milliseconds limit) const {
    if (!until_) return limit;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until_ - clock_.steady_now());
    return std::clamp(left, std::chrono::milliseconds(1), limit);
  }

 private:
  const Clock& clock_;
  std::optional<SteadyTime> until_;
};

Status check_shape(const wire::CircuitRef& circuit, const circuit::WitnessView& witness) {
  if (witness.curve != circuit.curve)
    return Error{.code = ErrorCode::curve_mismatch,
                 .what = "the witness is of " + std::string(name(witness.curve)) + ", the circuit's key of " +
                         std::string(name(circuit.curve))};
  if (witness.values.size() != circuit.variables)
    return Error{.code = ErrorCode::size_mismatch,
                 .what = "the witness has " + std::to_string(witness.values.size()) +
                         " wires, the circuit's key " + std::to_string(circuit.variables),
                 .hint = "program, key and witness must come from the same compilation"};
  return {};
}

}  // namespace

bool is_retryable(ErrorCode code) {
  switch (code) {
    case ErrorCode::internal:
    case ErrorCode::out_of_memory:
    case ErrorCode::overloaded:
    case ErrorCode::draining:
    case ErrorCode::device_unavailable:
    case ErrorCode::circuit_unknown:
    case ErrorCode::file_unreadable:
    case ErrorCode::not_found:
    case ErrorCode::conflict:
      return true;
    default:
      return false;
  }
}

/// One run's state; its steps in order.
struct TaskRunner::Attempt {
  const TaskRunner& runner;
  const wire::SynthesisTask& task;
  const std::stop_token& stop;
  const Progress& progress;
  telemetry::PhaseTimes& phases;
  Deadline deadline;
  bool retryable = false;

  Status run() {
    auto circuit = runner.circuits_.get(task.circuit);
    if (!circuit.ok()) return failed(std::move(circuit).error());
    auto witness = make(**circuit);
    if (!witness.ok()) return failed(std::move(witness).error());
    if (auto shape = check_shape(task.circuit, witness->view()); !shape.ok())
      return failed(std::move(shape).error());
    if (auto checked = check(**circuit, witness->view()); !checked.ok())
      return failed(std::move(checked).error());
    if (stop.stop_requested()) return failed({.code = ErrorCode::cancelled, .what = "cancelled"});
    progress(wire::PartitionStage::staging);
    const staging::OpenLink open(runner.link_, task.partition);
    staging::Stager stager(runner.options_.staging, runner.link_, runner.arenas_, runner.clock_);
    auto staged = stager.stage(
        {task.partition, task.circuit.id, task.gpu, task.priority},
        circuit::packed_size_bound(witness->view().values.size()),
        [&](std::span<std::byte> slab) {
          const auto packed = circuit::pack_witness_checked(witness->view(), slab);
          return staging::Stager::Written{packed.used_bytes, packed.checksum};
        },
        phases, stop);
    if (staged.ok()) return {};
    retryable = stager.retryable() && staged.error().code != ErrorCode::cancelled;
    return std::move(staged).error();
  }

 private:
  Status failed(Error error) {
    retryable = is_retryable(error.code);
    // The client learns which file, not where this worker keeps it.
    error.file = std::filesystem::path(error.file).filename().string();
    return error;
  }

  Result<TaskWitness> make(OpenCircuit& circuit) {
    const WitnessLimits limits{deadline.cut(runner.options_.witness_time_limit),
                               runner.options_.witness_memory_limit};
    auto witness = make_witness(task, circuit, runner.options_.programs, limits, stop, progress, phases);
    if (!witness.ok() && witness.error().code == ErrorCode::time_limit && deadline.passed())
      return deadline_error();
    return witness;
  }

  Status check(OpenCircuit& circuit, const circuit::WitnessView& witness) {
    if (!runner.options_.check_r1cs || !task.circuit.has_r1cs) return {};
    const telemetry::PhaseScope scope(phases, Phase::r1cs_check);
    const auto r1cs = PENSTOCK_TRY(circuit.r1cs());
    const int threads = runner.options_.check_threads;
    auto status = circuit::check_witness(*r1cs, witness, nullptr, threads);
    if (status.ok() || status.error().code != ErrorCode::witness_unsatisfied) return status;
    // Once more with the names: only a broken witness pays for them.
    const circuit::SymbolTable* symbols = circuit.symbols();
    return symbols == nullptr ? status : circuit::check_witness(*r1cs, witness, symbols, threads);
  }
};

TaskOutcome TaskRunner::run(wire::SynthesisTask task, std::stop_token stop, const Progress& progress,
                            telemetry::PhaseTimes& phases) const {
  Attempt attempt{*this, task, stop, progress, phases, Deadline(task, clock_), false};
  auto status = attempt.run();
  wipe(task.input);
  if (!status.ok())
    return wire::PartitionFailed{task.partition, std::move(status).error(), attempt.retryable, phases};
  wire::PartitionStaged staged{task.partition, task.gpu.incarnation, {}};
  // The commit has carried the others to the GPU service, which reports them with its own.
  if (const auto spent = phases.get(Phase::stage)) staged.phases.add(Phase::stage, *spent);
  return staged;
}

}  // namespace penstock::synthesis
