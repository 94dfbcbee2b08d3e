#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "common/circuit/file_io.hpp"
#include "common/circuit/proof_json.hpp"
#include "common/groth16/verify.hpp"
#include "services/cli/proof_files.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string key = "verification_key.json";
  std::string publics = "public.json";
  std::string proof = "proof.json";
};

Result<ExitStatus> run(const Options& options, Context& context) {
  Output& output = context.output();
  const auto key = PENSTOCK_TRY(read_verification_key(options.key));
  const CurveId curve = circuit::curve_of(key);
  const auto publics = PENSTOCK_TRY(read_publics(options.publics, curve));
  const auto proof = PENSTOCK_TRY(read_proof(options.proof, curve));
  const Status verdict = groth16::verify(key, publics, proof);
  if (!verdict && verdict.error().code != ErrorCode::proof_invalid)
    return Error(verdict.error()).in(options.publics);
  output.line(verdict.ok() ? "OK!" : "Invalid proof");
  nlohmann::ordered_json object{
      {"ok", verdict.ok()}, {"valid", verdict.ok()}, {"curve", name(curve)}, {"publics", publics.size()}};
  if (!verdict) object["error"] = to_json(verdict.error());
  output.object(object);
  return verdict.ok() ? ExitStatus::done : ExitStatus::refused;
}

}  // namespace

void add_verify(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(app, "verify", "Check a proof: prints OK! or Invalid proof, exits 0 or 1",
                        "  penstock verify verification_key.json public.json proof.json\n"
                        "  penstock verify            # the same files, by snarkjs's names\n"
                        "The curve comes from the verification key.");
  verb->add_option("verification_key", options->key, "Verification key (JSON)")->capture_default_str();
  verb->add_option("public", options->publics, "Public signals (JSON)")->capture_default_str();
  verb->add_option("proof", options->proof, "Proof (JSON)")->capture_default_str();
  context.on(verb, [options](Context& used) { return run(*options, used); });
}

}  // namespace penstock::cli
