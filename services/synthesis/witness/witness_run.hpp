// One witness by one child: the conversation of runner_protocol.hpp from the service's side. Used once.
// Threads: one. Errors: as WitnessProgram::compute.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/synthesis/witness/input_json.hpp"
#include "services/synthesis/witness/runner_process.hpp"
#include "services/synthesis/witness/witness_program.hpp"

namespace penstock::synthesis {

class WitnessRun {
 public:
  struct Options {
    std::filesystem::path runner;
    Engine engine = Engine::interpreted;
    int program = -1;  ///< the shared object, or the wasm
    /// Asked about four times a second: true gives the run up (cancelled). May be empty.
    std::function<bool(std::chrono::milliseconds elapsed)> give_up = {};
  };
  WitnessRun(Options options, const WitnessOptions& witness)
      : options_(std::move(options)), witness_(witness) {}

  [[nodiscard]] Result<ComputedWitness> run(const std::vector<InputSignal>& signals);
  [[nodiscard]] bool given_up() const { return given_up_; }
  /// What the child said when it failed, if it said anything.
  [[nodiscard]] std::optional<protocol::FailureKind> failure() const { return failure_; }

 private:
  [[nodiscard]] Status tick(SteadyTime begin);
  [[nodiscard]] Status describe();
  [[nodiscard]] Result<std::vector<std::int32_t>> ask_sizes(const std::vector<std::string>& names);
  [[nodiscard]] Status check_signals(const std::vector<InputSignal>& signals);
  [[nodiscard]] Status set_signal(const InputSignal& signal);
  [[nodiscard]] Result<RunnerFrame> receive(protocol::FrameKind wanted);

  Options options_;
  const WitnessOptions& witness_;
  Patience patience_;
  std::optional<RunnerProcess> process_;
  protocol::Description description_;
  CurveId curve_ = CurveId::bn254;
  std::vector<std::string> notes_;
  bool given_up_ = false;
  std::optional<protocol::FailureKind> failure_;
};

/// The error that a child's `failed` frame means. Hostile bytes: checked.
[[nodiscard]] Error error_of(std::span<const std::byte> failed, std::optional<protocol::FailureKind>& kind);

}  // namespace penstock::synthesis
