#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "common/circuit/file_io.hpp"
#include "common/circuit/proof_json.hpp"
#include "common/circuit/proving_key.hpp"
#include "services/cli/proof_files.hpp"
#include "services/cli/solidity_verifier.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

Result<ExitStatus> export_key(const std::string& key_path, const std::string& out, Context& context) {
  const auto key = PENSTOCK_TRY(circuit::ProvingKey::open(key_path));
  PENSTOCK_TRY(circuit::write_text_file(out, circuit::to_json(key->verification_key())));
  context.output().line("wrote " + out);
  context.output().object(
      {{"ok", true}, {"verification_key_file", out}, {"curve", name(key->shape().curve)}});
  return ExitStatus::done;
}

struct CalldataOptions {
  std::string publics = "public.json", proof = "proof.json", curve;
  std::string format = "snarkjs";
};

// Without a verification key the curve comes from the proof itself, or from --curve when it names none.
Result<CurveId> curve_of_proof(const CalldataOptions& options) {
  constexpr std::uint64_t max_proof_bytes = std::uint64_t{1} << 20;
  if (const auto named = curve_from(options.curve)) return *named;
  const std::string text = PENSTOCK_TRY(circuit::read_text_file(options.proof, max_proof_bytes));
  const auto object = nlohmann::json::parse(text, nullptr, false);
  const auto named = object.is_object() ? object.find("curve") : object.end();
  if (!object.is_object() || named == object.end() || !named->is_string()) return CurveId::bn254;
  if (const auto curve = curve_from(named->get<std::string>())) return *curve;
  return Error{.code = ErrorCode::curve_mismatch,
               .what = "the proof names a curve that is neither bn128 nor bls12381",
               .file = options.proof};
}

Result<ExitStatus> export_calldata(const CalldataOptions& options, Context& context) {
  const CurveId curve = PENSTOCK_TRY(curve_of_proof(options));
  const auto publics = PENSTOCK_TRY(read_publics(options.publics, curve));
  const auto proof = PENSTOCK_TRY(read_proof(options.proof, curve));
  const auto format =
      options.format == "eip2537" ? circuit::CalldataFormat::eip2537 : circuit::CalldataFormat::snarkjs;
  if (format == circuit::CalldataFormat::eip2537 && curve != CurveId::bls12_381)
    return Error{.code = ErrorCode::curve_mismatch,
                 .what = "eip2537 is the encoding of bls12_381 points; this proof is on bn254",
                 .hint = "leave --format out"};
  const std::string calldata = circuit::to_calldata(proof, publics, format);
  context.output().line(calldata);
  context.output().object(
      {{"ok", true}, {"curve", name(curve)}, {"format", options.format}, {"calldata", calldata}});
  return ExitStatus::done;
}

Result<ExitStatus> export_verifier(const std::string& key_path, const std::string& out, Context& context) {
  const auto key = PENSTOCK_TRY(read_verification_key(key_path));
  auto text = solidity_verifier(key);
  if (!text) return std::move(text).error().in(key_path);
  PENSTOCK_TRY(circuit::write_text_file(out, *text));
  context.output().line("wrote " + out);
  context.output().object({{"ok", true}, {"verifier_file", out}});
  return ExitStatus::done;
}

void add_vk(CLI::App& group, Context& context) {
  auto paths =
      std::make_shared<std::pair<std::string, std::string>>("circuit_final.zkey", "verification_key.json");
  auto* verb = add_verb(group, "vk", "Write a key's verification key", "");
  verb->alias("verificationkey");
  verb->add_option("key", paths->first, "Proving key (.zkey)")->capture_default_str();
  verb->add_option("vk", paths->second, "Verification key to write")->capture_default_str();
  context.on(verb, [paths](Context& used) { return export_key(paths->first, paths->second, used); });
}

void add_calldata(CLI::App& group, Context& context) {
  auto options = std::make_shared<CalldataOptions>();
  auto* verb = add_verb(group, "calldata", "Print a proof as a contract call's arguments", "");
  verb->alias("soliditycalldata");
  verb->add_option("public", options->publics, "Public signals (JSON)")->capture_default_str();
  verb->add_option("proof", options->proof, "Proof (JSON)")->capture_default_str();
  verb->add_option("--format", options->format, "snarkjs, or eip2537 for BLS12-381 precompiles")
      ->check(CLI::IsMember({"snarkjs", "eip2537"}))
      ->capture_default_str();
  verb->add_option("--curve", options->curve, "When the proof names none (then bn254 is assumed)")
      ->check(CLI::IsMember({"bn254", "bn128", "bls12_381", "bls12381"}));
  context.on(verb, [options](Context& used) { return export_calldata(*options, used); });
}

void add_verifier(CLI::App& group, Context& context) {
  auto paths = std::make_shared<std::pair<std::string, std::string>>("verification_key.json", "verifier.sol");
  auto* verb = add_verb(group, "verifier", "Write a Solidity contract that verifies (BN254)", "");
  verb->add_option("vk", paths->first, "Verification key (JSON)")->capture_default_str();
  verb->add_option("out", paths->second, "Contract to write (.sol)")->capture_default_str();
  context.on(verb, [paths](Context& used) { return export_verifier(paths->first, paths->second, used); });
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto* group = add_verb(app, "export", "Verification key, calldata, or a Solidity verifier",
                         "  penstock export vk circuit_final.zkey verification_key.json\n"
                         "  penstock export calldata public.json proof.json\n"
                         "  penstock export verifier verification_key.json verifier.sol");
  group->require_subcommand(1);
  add_vk(*group, context);
  add_calldata(*group, context);
  add_verifier(*group, context);
}

}  // namespace penstock::cli
