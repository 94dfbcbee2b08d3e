// The whole command line: arguments in, exit status out. main only opens the streams and reads the
// environment.
// Errors: usage errors are printed as error[bad_request] and give status 2.
#pragma once

#include <string>
#include <vector>

#include "services/cli/context.hpp"

namespace penstock::cli {

/// `arguments[0]` is the program's name as it was called: `rapidsnark` and `prover` mean `prove`.
[[nodiscard]] ExitStatus run_command_line(std::vector<std::string> arguments, Context& context);

}  // namespace penstock::cli
