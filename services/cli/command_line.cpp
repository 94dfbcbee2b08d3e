#include "services/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>

#include "common/runtime/health.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

constexpr const char* description =
    "Penstock: a Groth16 proving cluster, and the same prover for one proof at a time.";
constexpr const char* first_steps =
    "First steps:\n"
    "  penstock fullprove input.json circuit.wasm circuit_final.zkey proof.json public.json\n"
    "  penstock verify verification_key.json public.json proof.json\n"
    "  penstock up                                    # a whole cluster on this machine\n"
    "  penstock circuit add mul --zkey mul.zkey --wasm mul.wasm --r1cs mul.r1cs\n"
    "  penstock submit mul --input input.json --wait --out proofs\n"
    "Scripts for snarkjs or rapidsnark work by changing the program's name: `penstock groth16 "
    "prove|fullprove|\n"
    "verify`, `penstock wtns calculate`; called as `rapidsnark` or `prover` it proves.\n"
    "Exit status: 0 done, 1 refused or invalid, 2 usage, 3 internal.";

void add_aliases(CLI::App& app, Context& context) {
  auto* groth16 = app.add_subcommand("groth16", "snarkjs's names: prove, fullprove, verify");
  groth16->require_subcommand(1);
  add_prove(*groth16, context);
  add_fullprove(*groth16, context);
  add_verify(*groth16, context);
  auto* wtns = app.add_subcommand("wtns", "snarkjs's name: wtns calculate");
  wtns->require_subcommand(1);
  add_calculate(*wtns, context);
}

void add_verbs(CLI::App& app, Context& context) {
  add_prove(app, context);
  add_fullprove(app, context);
  add_witness(app, context);
  add_verify(app, context);
  add_info(app, context);
  add_check(app, context);
  add_setup(app, context);
  add_export(app, context);
  add_up(app, context);
  add_circuit(app, context);
  add_submit(app, context);
  add_job(app, context);
  add_status(app, context);
  add_explain(app, context);
  add_doctor(app, context);
  add_bench(app, context);
  add_keygen(app, context);
  add_config(app, context);
  add_aliases(app, context);
}

// rapidsnark's program takes the arguments of `prove`.
void apply_program_name(std::vector<std::string>& arguments) {
  const std::string called = std::filesystem::path(arguments.front()).filename().string();
  if (called == "rapidsnark" || called == "prover") arguments.insert(arguments.begin() + 1, "prove");
}

std::string version_text() {
  const auto build = runtime::build_info();
  return fmt::format("penstock {} ({}{})", build.version, build.commit,
                     build.cuda.empty() ? std::string() : ", CUDA " + build.cuda);
}

// A word in a verb's place that is none: the parser would only say that a verb is missing.
std::optional<Error> unknown_verb(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments[1].starts_with('-')) return std::nullopt;
  std::string verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->check_name(arguments[1])) return std::nullopt;
    verbs += (verbs.empty() ? "" : ", ") + verb->get_name();
  }
  return Error{.code = ErrorCode::bad_request,
               .what = "'" + arguments[1] + "' is not a verb",
               .hint = "the verbs are " + verbs};
}

ExitStatus usage_error(const CLI::ParseError& error, Context& context) {
  context.output().error({.code = ErrorCode::bad_request,
                          .what = error.what(),
                          .hint = "see penstock --help, or penstock VERB --help"});
  return ExitStatus::usage;
}

}  // namespace

ExitStatus run_command_line(std::vector<std::string> arguments, Context& context) {
  apply_program_name(arguments);
  CLI::App app(description, "penstock");
  app.footer(first_steps);
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  app.get_formatter()->column_width(34);
  add_verbs(app, context);
  if (const auto unknown = unknown_verb(app, arguments)) {
    context.output().error(*unknown);
    return ExitStatus::usage;
  }
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - 1);
  try {
    app.parse(reversed);
  } catch (const CLI::Success& help) {
    return static_cast<ExitStatus>(app.exit(help));
  } catch (const CLI::ParseError& error) {
    return usage_error(error, context);
  }
  return context.run();
}

}  // namespace penstock::cli
