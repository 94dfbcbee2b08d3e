#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "common/runtime/config.hpp"
#include "services/cli/cluster.hpp"
#include "services/cli/verbs/verbs.hpp"
#include "services/gpu/settings.hpp"
#include "services/queue/settings.hpp"
#include "services/synthesis/settings.hpp"

namespace penstock::cli {
namespace {

struct Options {
  std::string file;
  std::vector<std::string> services = {"queue", "synthesis", "gpu"};
};

// What the service itself would read: file, then environment; no flags.
Result<std::string> effective(runtime::ConfigReader& reader, const std::string& service,
                              const Options& options) {
  std::vector<std::string> texts = {"penstock-" + service};
  if (!options.file.empty()) texts.insert(texts.end(), {"--config", options.file});
  std::vector<char*> arguments;
  for (auto& text : texts) arguments.push_back(text.data());
  const auto read = reader.read(texts.front(), "", static_cast<int>(arguments.size()), arguments.data());
  if (!read) return Error(read.error());
  return reader.describe();
}

Result<std::string> effective(const std::string& service, const Options& options) {
  runtime::ConfigReader reader;
  if (service == "gpu") {
    gpu::Settings settings;
    gpu::declare(reader, settings);
    return effective(reader, service, options);
  }
  if (service == "synthesis") {
    synthesis::Settings settings;
    synthesis::declare(reader, settings);
    return effective(reader, service, options);
  }
  queue::Settings settings;
  queue::declare(reader, settings);
  const std::string text = PENSTOCK_TRY(effective(reader, service, options));
  PENSTOCK_TRY(queue::check(settings));
  return text;
}

Result<ExitStatus> run(const Options& options, const bool print, Context& context) {
  nlohmann::ordered_json object{{"ok", true}};
  for (const auto& service : options.services) {
    auto text = effective(service, options);
    if (!text) return as_refusal(std::move(text).error());
    if (print) context.output().line(*text);
    object["services"][service] = *text;
  }
  if (!print) context.output().line("OK!");
  context.output().object(object);
  return ExitStatus::done;
}

}  // namespace

void add_config(CLI::App& app, Context& context) {
  auto* group =
      add_verb(app, "config", "The services' configuration: file, environment, defaults",
               "  penstock config print --config penstock.toml\n"
               "  penstock config check --config penstock.toml --service gpu\n"
               "Environment: PENSTOCK_SECTION_KEY, e.g. PENSTOCK_GPU_LANES. An unknown key is an error.");
  group->require_subcommand(1);
  auto options = std::make_shared<Options>();
  const auto add = [&](const char* verb_name, const char* sentence, bool print) {
    auto* verb = add_verb(*group, verb_name, sentence, "");
    verb->add_option("--config", options->file, "TOML file (PENSTOCK_CONFIG)");
    verb->add_option("--service", options->services, "queue, synthesis, gpu; default all")
        ->delimiter(',')
        ->check(CLI::IsMember({"queue", "synthesis", "gpu"}));
    context.on(verb, [options, print](Context& used) { return run(*options, print, used); });
  };
  add("print", "Every key, its value and where that came from; secrets masked", true);
  add("check", "Refuse what a service would refuse", false);
}

}  // namespace penstock::cli
