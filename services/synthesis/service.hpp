// penstock-synthesis as a running process: one message loop with the dealers to the queue and to GPU services
// around a SynthesisCore; metrics and health on a port of their own. Ownership: owns everything it starts, in
// an order in which the loop outlives what posts to it. Threads: run() blocks in the caller's thread; drain()
// from any thread. Errors: start() says what cannot be had (cache folder, runner, address).
#pragma once

#include <memory>

#include "common/base/result.hpp"
#include "services/synthesis/settings.hpp"

namespace penstock::synthesis {

class Service {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Service>> start(const Settings& settings);
  virtual ~Service() = default;
  /// Until it has drained.
  virtual void run() = 0;
  virtual void drain() = 0;
};

}  // namespace penstock::synthesis
