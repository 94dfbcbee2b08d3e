// How a verb plugs into the command line: add_<verb>() declares its arguments on a CLI11 app and hands the
// Context an action; main runs the one that was chosen. Every verb lives in verbs/<verb>.cpp.
// Threads: one. Errors: an action's Error becomes the exit status of architecture.md.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>

#include "common/base/result.hpp"
#include "services/cli/environment.hpp"
#include "services/cli/output.hpp"

namespace penstock::cli {

/// Exit statuses of architecture.md.
enum class ExitStatus : int { done = 0, refused = 1, usage = 2, internal = 3, interrupted = 130 };

class Context {
 public:
  using Action = std::function<Result<ExitStatus>(Context&)>;

  Context(Environment environment, Output& output) : environment_(std::move(environment)), output_(output) {}

  /// Runs `action` when `verb` was chosen. Adds --json to the verb.
  void on(CLI::App* verb, Action action);

  [[nodiscard]] const Environment& environment() const { return environment_; }
  [[nodiscard]] Environment& environment() { return environment_; }
  [[nodiscard]] Output& output() { return output_; }
  /// Runs the chosen verb and prints its error. REQUIRES: the app was parsed.
  [[nodiscard]] ExitStatus run();

 private:
  Environment environment_;
  Output& output_;
  Action chosen_;
};

/// A subcommand with a first sentence and examples below the options (one command a line).
[[nodiscard]] CLI::App* add_verb(CLI::App& app, const std::string& name, const std::string& sentence,
                                 const std::string& examples);

}  // namespace penstock::cli
