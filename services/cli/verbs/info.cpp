#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "common/circuit/formats_info.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

Result<ExitStatus> run(const std::string& file, Context& context) {
  const auto facts = PENSTOCK_TRY(circuit::describe_file(file));
  nlohmann::ordered_json object{{"ok", true}, {"file", file}};
  for (const auto& [label, value] : facts) {
    context.output().line(fmt::format("{:<20} {}", label, value));
    object[label] = value;
  }
  context.output().object(object);
  return ExitStatus::done;
}

}  // namespace

void add_info(CLI::App& app, Context& context) {
  auto file = std::make_shared<std::string>();
  auto* verb = add_verb(app, "info", "What a .zkey, .r1cs or .wtns holds: curve, sizes, sections",
                        "  penstock info circuit_final.zkey\n"
                        "  penstock info circuit.r1cs --json");
  verb->add_option("file", *file, "A .zkey, .r1cs or .wtns")->required();
  context.on(verb, [file](Context& used) { return run(*file, used); });
}

}  // namespace penstock::cli
