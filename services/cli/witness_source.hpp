// Witness programs for the command line: opened with the user's cache of compiled programs, run with
// progress. Errors: those of synthesis/witness/witness_program.hpp, attributed to the wasm or the input.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "services/cli/context.hpp"
#include "services/synthesis/witness/witness_program.hpp"

namespace penstock::cli {

struct WitnessLimits {
  double time_limit_seconds = 60;
  std::string engine = "automatic";  ///< automatic | compiled | interpreted
  int repeat = 1;                    ///< computes as often, the program opened once
};

/// Adds --time-limit and --engine.
void add_witness_limits(CLI::App* verb, WitnessLimits& limits);

struct ProgramAndWitness {
  std::shared_ptr<const synthesis::WitnessProgram> program;
  synthesis::ComputedWitness witness;
  double seconds = 0;                  ///< the first run, with reading and opening
  std::vector<double> repeat_seconds;  ///< the others: what a warm worker waits for
};
[[nodiscard]] Result<ProgramAndWitness> compute_witness(const std::filesystem::path& wasm,
                                                        const std::filesystem::path& input,
                                                        const WitnessLimits& limits, Context& context);

}  // namespace penstock::cli
