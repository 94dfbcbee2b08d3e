// penstock-gpu as a running process: one message loop with the workers' router, the queue's dealer and the
// timers around a GpuCore; metrics and health on a port of their own.
// Ownership: owns everything it starts, in an order in which the loop outlives what posts to it.
// Threads: run() blocks in the caller's thread; drain() from any thread.
// Errors: start() says what cannot be had (arena, address, device). run() returns how it ended.
#pragma once

#include <memory>

#include "common/base/result.hpp"
#include "services/gpu/settings.hpp"

namespace penstock::gpu {

class Service {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Service>> start(const Settings& settings);
  virtual ~Service() = default;
  /// Until it has drained. The error of a device that was lost or quarantined: exit status 3.
  [[nodiscard]] virtual Status run() = 0;
  virtual void drain() = 0;
};

}  // namespace penstock::gpu
