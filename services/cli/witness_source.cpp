#include "services/cli/witness_source.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "common/base/clock.hpp"
#include "common/circuit/file_io.hpp"
#include "services/cli/option_checks.hpp"

namespace penstock::cli {
namespace {

constexpr std::uint64_t max_input_bytes = std::uint64_t{1} << 30;

synthesis::Engine engine_of(const std::string& name) {
  if (name == "compiled") return synthesis::Engine::compiled;
  if (name == "interpreted") return synthesis::Engine::interpreted;
  return synthesis::Engine::automatic;
}

void show(const synthesis::Progress& progress, Output& output) {
  const bool compiles = progress.step == synthesis::Progress::Step::translating ||
                        progress.step == synthesis::Progress::Step::compiling;
  const double fraction =
      progress.expected.count() > 0
          ? std::min(1.0, Seconds(progress.elapsed).count() / Seconds(progress.expected).count())
          : -1;
  output.progress(compiles ? "compiling the witness program (once)" : "computing the witness", fraction);
}

}  // namespace

void add_witness_limits(CLI::App* verb, WitnessLimits& limits) {
  verb->add_option("--time-limit", limits.time_limit_seconds, "Seconds the witness program may run")
      ->check(seconds_between(0.001, 86'400))
      ->capture_default_str();
  verb->add_option("--engine", limits.engine,
                   "automatic (compiled when it was compiled before), compiled (wait for it), interpreted")
      ->check(CLI::IsMember({"automatic", "compiled", "interpreted"}))
      ->capture_default_str();
}

Result<ProgramAndWitness> compute_witness(const std::filesystem::path& wasm,
                                          const std::filesystem::path& input, const WitnessLimits& limits,
                                          Context& context) {
  Output& output = context.output();
  const auto start = std::chrono::steady_clock::now();
  const auto text = PENSTOCK_TRY(circuit::read_secret_file(input, max_input_bytes));
  auto program = synthesis::WitnessProgram::open(
      wasm, {.cache_folder = context.environment().cache_folder / "programs", .runner = {}});
  if (!program) return std::move(program).error().in(wasm.string());
  synthesis::WitnessOptions options;
  options.engine = engine_of(limits.engine);
  options.time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(limits.time_limit_seconds * 1e3));
  options.progress = [&output](const synthesis::Progress& progress) { show(progress, output); };
  const auto bytes = text.reveal();
  const std::string_view json(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto witness = (*program)->compute(json, options);
  if (!witness) return std::move(witness).error().in(input.string());
  for (const auto& note : witness->notes()) output.warn(input.string() + ": " + note);
  // The next run finds the program compiled; this one has not waited for it.
  if (witness->engine() == synthesis::Engine::interpreted && options.engine == synthesis::Engine::automatic)
    if (const Status compiling = (*program)->compile_detached(); !compiling)
      output.warn(to_string(compiling.error()));
  const double seconds = Seconds(std::chrono::steady_clock::now() - start).count();
  std::vector<double> repeat_seconds;
  for (int run = 1; run < limits.repeat; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    witness = (*program)->compute(json, options);
    if (!witness) return std::move(witness).error().in(input.string());
    repeat_seconds.push_back(Seconds(std::chrono::steady_clock::now() - begin).count());
  }
  return ProgramAndWitness{std::move(program).value(), std::move(witness).value(), seconds,
                           std::move(repeat_seconds)};
}

}  // namespace penstock::cli
