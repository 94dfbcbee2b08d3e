#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/circuit/proof_json.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/circuit/r1cs.hpp"
#include "services/cli/local_prover.hpp"
#include "services/cli/proof_files.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string file;
  std::string r1cs, verification_key, symbols;
  bool fresh = false;
  int threads = 0;
};

void report(Context& context, const std::vector<std::string>& findings, const nlohmann::ordered_json& facts) {
  for (const std::string& finding : findings) context.output().warn(finding);
  context.output().line("OK!");
  nlohmann::ordered_json object{{"ok", true}};
  object.update(facts);
  object["warnings"] = findings;
  context.output().object(object);
}

Result<ExitStatus> check_key(const Options& options, Context& context) {
  Output& output = context.output();
  const auto key = PENSTOCK_TRY(circuit::ProvingKey::open(options.file));
  output.progress("checking every point", -1);
  const circuit::KeyCheckCache cache(key_check_folder(context.environment()));
  PENSTOCK_TRY(circuit::check_points(*key, options.fresh ? nullptr : &cache, options.threads));
  nlohmann::ordered_json checked = {"structure", "points"};
  if (!options.r1cs.empty()) {
    output.progress("comparing with the r1cs", -1);
    const auto r1cs = PENSTOCK_TRY(circuit::R1cs::open(options.r1cs));
    const Status matches = circuit::check_key_matches(*key, *r1cs);
    if (!matches) return Error(matches.error()).in(options.file);
    checked.push_back("r1cs");
  }
  if (!options.verification_key.empty()) {
    const auto given = PENSTOCK_TRY(read_verification_key(options.verification_key));
    if (circuit::to_json(given) != circuit::to_json(key->verification_key()))
      return Error{.code = ErrorCode::key_mismatch,
                   .what = "the verification key is not the one of " + options.file,
                   .hint = "write it anew with: penstock export vk",
                   .file = options.verification_key};
    checked.push_back("verification_key");
  }
  report(context, circuit::warnings(*key),
         {{"format", "zkey"},
          {"curve", name(key->shape().curve)},
          {"content_hash", key->content_hash()},
          {"insecure_dev", key->insecure_dev()},
          {"checked", checked}});
  return ExitStatus::done;
}

Result<ExitStatus> check_witness_file(const Options& options, Context& context) {
  if (options.r1cs.empty())
    return Error{.code = ErrorCode::bad_request,
                 .what = "checking a witness needs its constraints",
                 .hint = "add --r1cs FILE"};
  const auto witness = PENSTOCK_TRY(read_witness(options.file));
  const auto r1cs = PENSTOCK_TRY(circuit::R1cs::open(options.r1cs));
  std::optional<circuit::SymbolTable> symbols;
  if (!options.symbols.empty()) symbols = PENSTOCK_TRY(circuit::SymbolTable::open(options.symbols));
  context.output().progress("checking every constraint", -1);
  const Status satisfied =
      circuit::check_witness(*r1cs, witness.view, symbols ? &*symbols : nullptr, options.threads);
  if (!satisfied) return Error(satisfied.error()).in(options.file);
  report(context, {},
         {{"format", "wtns"},
          {"curve", name(witness.view.curve)},
          {"wires", witness.view.values.size()},
          {"constraints", r1cs->shape().constraints}});
  return ExitStatus::done;
}

// Which of the two forms is meant: the file says it itself.
bool is_witness(const std::string& path) {
  std::array<char, 4> magic{};
  std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == "wtns" || path.ends_with(".wtns");
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* verb =
      add_verb(app, "check", "Check a key (every point, its r1cs, its verification key) or a witness",
               "  penstock check circuit_final.zkey --r1cs circuit.r1cs --vk verification_key.json\n"
               "  penstock check witness.wtns --r1cs circuit.r1cs --sym circuit.sym");
  verb->add_option("file", options->file, "A .zkey or .wtns")->required();
  verb->add_option("--r1cs", options->r1cs, "Constraints that the key or the witness must match");
  verb->add_option("--vk", options->verification_key, "Verification key that must belong to the key");
  verb->add_option("--sym", options->symbols, "Signal names for the broken constraint");
  verb->add_option("--threads", options->threads, "0 = all allowed")->check(CLI::Range(0, 4096));
  verb->add_flag("--fresh", options->fresh, "Check the points even when this key was checked before");
  context.on(verb, [options](Context& used) {
    return is_witness(options->file) ? check_witness_file(*options, used) : check_key(*options, used);
  });
}

}  // namespace penstock::cli
