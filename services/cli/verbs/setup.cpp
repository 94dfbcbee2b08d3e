#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <nlohmann/json.hpp>

#include "common/base/clock.hpp"
#include "common/circuit/file_io.hpp"
#include "common/circuit/proof_json.hpp"
#include "common/groth16/setup.hpp"
#include "services/cli/proof_files.hpp"
#include "services/cli/verbs/verbs.hpp"
#include "services/gpu/device_choice.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string r1cs = "circuit.r1cs", key = "circuit_final.zkey", verification_key = "verification_key.json";
  bool insecure_dev = false;
  std::optional<std::uint64_t> seed;
  std::string device = "cpu";
  int threads = 0;
};

Result<ExitStatus> run(const Options& options, Context& context) {
  Output& output = context.output();
  if (!options.insecure_dev)
    return Error{
        .code = ErrorCode::bad_request,
        .what = "only development keys can be made here: whoever makes one can forge proofs",
        .hint = "say --insecure-dev; for production run a ceremony with snarkjs and bring the .zkey"};
  PENSTOCK_TRY(check_outputs({options.r1cs}, {options.key, options.verification_key}));
  const auto start = std::chrono::steady_clock::now();
  const auto r1cs = PENSTOCK_TRY(circuit::R1cs::open(options.r1cs));
  const auto multiplier = PENSTOCK_TRY(gpu::open_multiplier({options.device, options.threads}));
  const groth16::SetupOptions setup{
      .seed = options.seed,
      .threads = options.threads,
      .progress = [&output](const char* step, double fraction) { output.progress(step, fraction); },
      .multiplier = multiplier.get()};
  const auto verification_key = PENSTOCK_TRY(groth16::setup_insecure_dev(*r1cs, options.key, setup));
  PENSTOCK_TRY(circuit::write_text_file(options.verification_key, circuit::to_json(verification_key)));
  const double seconds = Seconds(std::chrono::steady_clock::now() - start).count();
  output.warn(options.key + " is insecure: for development only; services refuse it unless told otherwise");
  output.line(fmt::format("{} constraints, {} wires, {}: {} and {} in {}", r1cs->shape().constraints,
                          r1cs->shape().wires, name(r1cs->shape().curve), options.key,
                          options.verification_key, duration_text(seconds)));
  output.object({{"ok", true},
                 {"insecure_dev", true},
                 {"curve", name(r1cs->shape().curve)},
                 {"constraints", r1cs->shape().constraints},
                 {"wires", r1cs->shape().wires},
                 {"key_file", options.key},
                 {"verification_key_file", options.verification_key},
                 {"seconds", seconds}});
  return ExitStatus::done;
}

}  // namespace

void add_setup(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* verb =
      add_verb(app, "setup", "Make a development key (INSECURE: one party knows the secret)",
               "  penstock setup circuit.r1cs key.zkey verification_key.json --insecure-dev\n"
               "snarkjs reads and proves with the key; penstock's services refuse it unless they run\n"
               "with --allow-insecure-keys.");
  verb->add_option("r1cs", options->r1cs, "Constraints (.r1cs)")->capture_default_str();
  verb->add_option("key", options->key, "Key to write (.zkey)")->capture_default_str();
  verb->add_option("vk", options->verification_key, "Verification key to write")->capture_default_str();
  verb->add_flag("--insecure-dev", options->insecure_dev, "Yes, a key that its maker can forge with");
  verb->add_option("--seed", options->seed, "Reproducible key, for tests");
  verb->add_option("--device", options->device, "auto, cpu or cuda:N")->capture_default_str();
  verb->add_option("--threads", options->threads, "0 = all allowed")->check(CLI::Range(0, 4096));
  context.on(verb, [options](Context& used) { return run(*options, used); });
}

}  // namespace penstock::cli
