// The log: one line an event on stderr, as text for people or JSON for machines. Never a witness, an input, r
// or s. Ownership: main makes one and passes references. Threads: any (the sink locks). Errors: bad_request
// for a level or a format that is none. Cost: a write per line, flushed from info upwards.
#pragma once

#include <memory>
#include <string>

#include "common/base/result.hpp"

namespace spdlog {
class logger;
}

namespace penstock::runtime {

/// `service`: the process's name in every line. `level`: trace, debug, info, warn, error or off. `format`:
/// text or json. In both formats a line break or a control character inside a message is escaped: one event,
/// one line.
[[nodiscard]] Result<std::shared_ptr<spdlog::logger>> make_logger(const std::string& service,
                                                                  const std::string& level,
                                                                  const std::string& format);

}  // namespace penstock::runtime
