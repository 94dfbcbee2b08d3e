#include "services/cli/context.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <new>

#include "common/groth16/proving_device.hpp"

namespace penstock::cli {

void Context::on(CLI::App* verb, Action action) {
  verb->add_flag_function(
      "--json", [this](std::int64_t) { output_.use_json(); }, "Print one JSON object instead of text");
  verb->callback([this, action = std::move(action)] { chosen_ = action; });
}

ExitStatus Context::run() {
  const auto fail = [this](const Error& error) {
    output_.error(error);
    return static_cast<ExitStatus>(exit_status(error.code));
  };
  try {
    auto outcome = chosen_(*this);
    if (!outcome) return fail(outcome.error());
    output_.end_progress();
    return *outcome;
  } catch (const std::bad_alloc&) {
    return fail({.code = ErrorCode::out_of_memory, .what = "the host has no memory left"});
  } catch (const groth16::DeviceLost& lost) {
    return fail({.code = ErrorCode::device_unavailable,
                 .what = lost.what(),
                 .hint = "run it again, or choose another --device"});
  } catch (const std::exception& defect) {
    return fail({.code = ErrorCode::internal,
                 .what = defect.what(),
                 .hint = "this is a defect of penstock: please report it"});
  }
}

CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& sentence,
                   const std::string& examples) {
  CLI::App* verb = app.add_subcommand(name, sentence);
  if (!examples.empty()) verb->footer("Examples:\n" + examples);
  return verb;
}

}  // namespace penstock::cli
