#include <CLI/CLI.hpp>

#include "services/cli/local_prover.hpp"
#include "services/cli/proof_files.hpp"
#include "services/cli/verbs/verbs.hpp"
#include "services/cli/witness_source.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string input = "input.json", wasm = "circuit.wasm", key = "circuit_final.zkey";
  ProveRequest request{.proof_path = "proof.json", .public_path = "public.json"};
  gpu::DeviceChoice device;
  WitnessLimits limits;
};

Result<ExitStatus> run(const Options& options, Context& context) {
  PENSTOCK_TRY(check_outputs({options.input, options.wasm, options.key},
                             {options.request.proof_path, options.request.public_path}));
  const auto computed = PENSTOCK_TRY(compute_witness(options.wasm, options.input, options.limits, context));
  const auto prover = PENSTOCK_TRY(LocalProver::open(options.key, options.device, context));
  auto outcome = prove_and_write(*prover, computed.witness.view(), options.request, context);
  if (!outcome && outcome.error().file.empty()) return std::move(outcome).error().in(options.input);
  return outcome;
}

}  // namespace

void add_fullprove(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* verb =
      add_verb(app, "fullprove", "From input.json to a verified proof on this machine",
               "  penstock fullprove input.json circuit.wasm circuit_final.zkey proof.json public.json\n"
               "  penstock fullprove         # the same files, by snarkjs's names");
  verb->add_option("input", options->input, "Input signals (JSON)")->capture_default_str();
  verb->add_option("wasm", options->wasm, "circom's witness program")->capture_default_str();
  verb->add_option("key", options->key, "Proving key (.zkey)")->capture_default_str();
  verb->add_option("proof", options->request.proof_path, "Proof to write (JSON)")->capture_default_str();
  verb->add_option("public", options->request.public_path, "Public signals to write (JSON)")
      ->capture_default_str();
  verb->add_option("--device", options->device.name, "auto, cpu or cuda:N")->capture_default_str();
  verb->add_option("--threads", options->device.threads, "Host threads; 0 = all allowed")
      ->check(CLI::Range(0, 4096));
  verb->add_flag("-v,--verbose", options->request.phases, "Print the time of every phase");
  add_witness_limits(verb, options->limits);
  context.on(verb, [options](Context& used) { return run(*options, used); });
}

}  // namespace penstock::cli
