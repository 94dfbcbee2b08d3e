#include "services/synthesis/witness_source.hpp"

#include <string_view>

namespace penstock::synthesis {
namespace {

Result<ComputedWitness> compute(const wire::SynthesisTask& task, OpenCircuit& circuit,
                                const WitnessProgram& program, WitnessOptions options) {
  const std::string_view input(reinterpret_cast<const char*>(task.input.data()), task.input.size());
  auto witness = program.compute(input, options);
  if (witness.ok() || witness.error().code != ErrorCode::signal_missing) return witness;
  // Once more with the names: only an incomplete input pays for them.
  options.symbols = circuit.symbols();
  return options.symbols == nullptr ? std::move(witness) : program.compute(input, options);
}

}  // namespace

Result<TaskWitness> make_witness(const wire::SynthesisTask& task, OpenCircuit& circuit,
                                 const ProgramOptions& programs, const WitnessLimits& limits,
                                 const std::stop_token& stop,
                                 const std::function<void(wire::PartitionStage)>& progress,
                                 telemetry::PhaseTimes& phases) {
  if (task.input_kind == wire::InputKind::wtns) {
    const telemetry::PhaseScope scope(phases, Phase::witness);
    return TaskWitness(PENSTOCK_TRY(circuit::parse_wtns(task.input)));
  }
  if (!task.circuit.has_wasm)
    return Error{.code = ErrorCode::bad_request,
                 .what = "circuit " + task.circuit.name + " has no witness program",
                 .hint = "submit a witness, or register the circuit with its wasm"};
  std::shared_ptr<const WitnessProgram> program;
  {
    const telemetry::PhaseScope scope(phases, Phase::compile);
    program = PENSTOCK_TRY(circuit.program(programs));
  }
  WitnessOptions options;
  options.time_limit = limits.time;
  options.memory_limit_bytes = limits.memory_bytes;
  options.stop = stop;
  bool told = false;
  options.progress = [&](const synthesis::Progress& now) {
    const bool compiling = now.step == Progress::Step::compiling;
    if (compiling != told)
      progress(compiling ? wire::PartitionStage::compiling : wire::PartitionStage::synthesis);
    told = compiling;
  };
  const auto begin = std::chrono::steady_clock::now();
  auto witness = compute(task, circuit, *program, options);
  const auto spent = std::chrono::steady_clock::now() - begin;
  const auto waited = witness.ok() ? witness->waited_for_compile() : std::chrono::nanoseconds(0);
  if (waited.count() > 0) phases.add(Phase::compile, waited);
  phases.add(Phase::witness, spent - waited);
  if (!witness.ok()) return std::move(witness).error();
  return TaskWitness(std::move(witness).value());
}

}  // namespace penstock::synthesis
