// The services of a `penstock up` that was killed: the kernel has asked them to drain, which takes a while,
// and until then they hold their arena, ledger and addresses. A new `up` on the same folder waits for them.
// Threads: one; waits. Errors: conflict when one does not end in time, naming its pid; cancelled
// by a signal.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "common/base/result.hpp"

namespace penstock::cli {

struct PreviousRunOptions {
  std::filesystem::path run;                         ///< where services announce themselves
  std::chrono::milliseconds patience{75'000};        ///< above the services' own drain timeout
  std::string programs = "penstock-";                ///< what their processes' names begin with
  int signals = -1;                                  ///< a SignalDescriptor's: a signal ends the wait
  std::function<void(const std::string&)> say = {};  ///< "waiting for gpu-cpu (pid 12) ..."
};

[[nodiscard]] Status wait_for_previous_run(const PreviousRunOptions& options);

}  // namespace penstock::cli
