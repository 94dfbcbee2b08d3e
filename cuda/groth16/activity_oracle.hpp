// The oracle that the idle ledger is checked against, never in production: CUPTI's records of every kernel
// and copy, on the host's steady clock. CUPTI is opened at run time; it slows launches a little. Ownership:
// one oracle a process at a time. Threads: start and stop on one thread; the device may be used by any
// meanwhile. Errors: device_unavailable (no CUPTI, or this build has none, or another profiler has it).
#pragma once

#include <memory>
#include <vector>

#include "common/base/result.hpp"
#include "common/telemetry/idle_ledger.hpp"

namespace penstock::cuda {

struct DeviceActivity {
  std::vector<telemetry::Interval> kernels, copies;  ///< in no order; they overlap
};

class ActivityOracle {
 public:
  virtual ~ActivityOracle() = default;
  /// What the device did since the start. Waits for CUPTI's buffers.
  [[nodiscard]] virtual Result<DeviceActivity> stop() = 0;
};

[[nodiscard]] Result<std::unique_ptr<ActivityOracle>> start_activity_oracle();

}  // namespace penstock::cuda
