// What an option's value must look like, where CLI11's own checks do not say it: a mistake is a usage error,
// before anything is done.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace penstock::cli {

/// A finite number of seconds. CLI11's Range lets nan through, which is neither below nor above.
[[nodiscard]] CLI::Validator seconds_between(double least, double most);
/// HOST:PORT
[[nodiscard]] CLI::Validator host_and_port();
/// [http[s]://]HOST[:PORT], from the command line or the environment. Throws CLI::ValidationError.
void check_queue_url(const std::string& url);

}  // namespace penstock::cli
