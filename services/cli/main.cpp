// penstock: every verb of a person.
#include <string>
#include <vector>

#include "common/runtime/process.hpp"
#include "services/cli/command_line.hpp"

int main(int argc, char** argv) {
  penstock::runtime::forbid_core_dumps();
  penstock::cli::Output output(stdout, stderr);
  auto environment = penstock::cli::read_environment();
  if (!environment) {
    output.error(environment.error());
    return penstock::exit_status(environment.error().code);
  }
  penstock::cli::Context context(*environment, output);
  const std::vector<std::string> arguments(argv, argv + argc);
  return static_cast<int>(penstock::cli::run_command_line(arguments, context));
}
