// A phase record as one line of text, for the ledger: "admit=1200 queue_wait=53000", in nanoseconds.
#pragma once

#include <string>
#include <string_view>

#include "common/telemetry/phase_times.hpp"

namespace penstock::queue {

[[nodiscard]] std::string to_text(const telemetry::PhaseTimes& phases);
/// Unknown names (a newer program's) are dropped.
[[nodiscard]] telemetry::PhaseTimes phases_from_text(std::string_view text);

}  // namespace penstock::queue
