#include <CLI/CLI.hpp>

#include "services/cli/local_prover.hpp"
#include "services/cli/proof_files.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string key = "circuit_final.zkey";
  std::string witness = "witness.wtns";
  ProveRequest request{.proof_path = "proof.json", .public_path = "public.json"};
  gpu::DeviceChoice device;
};

Result<ExitStatus> run(const Options& options, Context& context) {
  PENSTOCK_TRY(check_outputs({options.key, options.witness},
                             {options.request.proof_path, options.request.public_path}));
  // The witness first: it is small, and a bad one is refused before the key costs anything.
  const auto witness = PENSTOCK_TRY(read_witness(options.witness));
  const auto prover = PENSTOCK_TRY(LocalProver::open(options.key, options.device, context));
  auto outcome = prove_and_write(*prover, witness.view, options.request, context);
  if (!outcome && outcome.error().file.empty()) return std::move(outcome).error().in(options.witness);
  return outcome;
}

}  // namespace

void add_prove(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* verb =
      add_verb(app, "prove", "Prove one witness on this machine; the proof is verified before it is written",
               "  penstock prove circuit_final.zkey witness.wtns proof.json public.json\n"
               "  penstock prove            # the same files, by snarkjs's names\n"
               "  penstock prove key.zkey witness.wtns proof.json public.json --repeat 10 --json\n"
               "No file is written unless the proof verifies. The key's points are checked once and\n"
               "remembered by the key's content hash.");
  verb->add_option("key", options->key, "Proving key (.zkey)")->capture_default_str();
  verb->add_option("witness", options->witness, "Witness (.wtns)")->capture_default_str();
  verb->add_option("proof", options->request.proof_path, "Proof to write (JSON)")->capture_default_str();
  verb->add_option("public", options->request.public_path, "Public signals to write (JSON)")
      ->capture_default_str();
  verb->add_option("--device", options->device.name, "auto, cpu or cuda:N")->capture_default_str();
  verb->add_option("--threads", options->device.threads, "Host threads; 0 = all allowed")
      ->check(CLI::Range(0, 4096));
  verb->add_option("--repeat", options->request.repeat, "Prove N times with the key loaded once")
      ->check(CLI::Range(1, 1'000'000));
  verb->add_flag("-v,--verbose", options->request.phases, "Print the time of every phase");
  context.on(verb, [options](Context& used) { return run(*options, used); });
}

}  // namespace penstock::cli
