#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "common/base/ids.hpp"
#include "common/wire/curve.hpp"
#include "services/cli/verbs/verbs.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string name, out = ".";
};

Result<ExitStatus> run(const Options& options, Context& context) {
  if (!is_safe_name(options.name))
    return Error{.code = ErrorCode::bad_request,
                 .what = "a key's name may hold letters, digits, '_', '.' and '-' only"};
  const wire::CurveKeys keys = wire::make_curve_keys();
  const std::filesystem::path folder = options.out;
  PENSTOCK_TRY(wire::write_curve_keys(keys, folder, options.name));
  const std::string secret = (folder / (options.name + ".key")).string();
  const std::string open = (folder / (options.name + ".pub")).string();
  context.output().line(fmt::format("{}: stays with the service (0600)", secret));
  context.output().line(fmt::format("{}: goes to those who are to know it", open));
  context.output().object({{"ok", true}, {"key", secret}, {"pub", open}, {"public", keys.public_key}});
  return ExitStatus::done;
}

}  // namespace

void add_keygen(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(
      app, "keygen", "Make a CURVE key pair, for services on networks that are not private",
      "  penstock keygen gpu-0 --out keys\n"
      "  penstock-gpu --curve-key keys/gpu-0.key --curve-clients workers/ --bind tcp://0.0.0.0:7710\n"
      "NAME.key is the service's own; NAME.pub goes into the folder of whoever accepts it.");
  verb->add_option("name", options->name, "What the two files are called")->required();
  verb->add_option("--out", options->out, "Folder")->check(CLI::ExistingDirectory)->capture_default_str();
  context.on(verb, [options](Context& used) { return run(*options, used); });
}

}  // namespace penstock::cli
