#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "services/cli/proof_files.hpp"
#include "services/cli/repeats.hpp"
#include "services/cli/verbs/verbs.hpp"
#include "services/cli/witness_source.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string wasm = "circuit.wasm", input = "input.json", witness = "witness.wtns";
  WitnessLimits limits;
};

Result<ExitStatus> run(const Options& options, Context& context) {
  PENSTOCK_TRY(check_outputs({options.wasm, options.input}, {options.witness}));
  const auto computed = PENSTOCK_TRY(compute_witness(options.wasm, options.input, options.limits, context));
  const auto view = computed.witness.view();
  PENSTOCK_TRY(circuit::write_wtns(options.witness, view));
  context.output().line(fmt::format("{} wires, {}, in {}: {}", view.values.size(), name(view.curve),
                                    duration_text(computed.seconds), options.witness));
  if (!computed.repeat_seconds.empty())
    context.output().line(fmt::format(
        "{} witnesses more, the program open: median {}, least {}", computed.repeat_seconds.size(),
        duration_text(median(computed.repeat_seconds)), duration_text(least(computed.repeat_seconds))));
  context.output().object({{"ok", true},
                           {"curve", name(view.curve)},
                           {"wires", view.values.size()},
                           {"witness_file", options.witness},
                           {"seconds", computed.seconds},
                           {"repeat_seconds", computed.repeat_seconds},
                           {"notes", computed.witness.notes()}});
  return ExitStatus::done;
}

void add_named(CLI::App& app, Context& context, const std::string& verb_name) {
  auto options = std::make_shared<Options>();
  auto* verb =
      add_verb(app, verb_name, "Compute a witness from input.json with circom's wasm",
               "  penstock witness circuit.wasm input.json witness.wtns\n"
               "The program runs in a sandboxed child process under --time-limit. Missing, surplus and\n"
               "malformed signals are named.");
  verb->add_option("wasm", options->wasm, "circom's witness program")->capture_default_str();
  verb->add_option("input", options->input, "Input signals (JSON)")->capture_default_str();
  verb->add_option("witness", options->witness, "Witness to write (.wtns, 0600)")->capture_default_str();
  add_witness_limits(verb, options->limits);
  verb->add_option("--repeat", options->limits.repeat,
                   "Compute N times with the program opened once: what a warm worker takes")
      ->check(CLI::Range(1, 1'000'000));
  context.on(verb, [options](Context& used) { return run(*options, used); });
}

}  // namespace

void add_witness(CLI::App& app, Context& context) {
  add_named(app, context, "witness");
}

void add_calculate(CLI::App& app, Context& context) {
  add_named(app, context, "calculate");
}

}  // namespace penstock::cli
