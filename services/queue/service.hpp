// The queue as a whole: built from settings, run on the caller's thread, drained from any.
// Shape: one loop thread owns the scheduler and the workers' sessions; HTTP has threads of its own; the
// ledger
//   is written by one thread and read by another; inputs come in on a third and are wiped on a fourth;
//   circuits are registered on a fifth. They meet only through posted work.
// Ownership: owns everything it builds; the clock and the log are borrowed.
// Threads: start() and run() from one; drain() from any. Errors: those of the settings, the ledger, the
// folders
//   and the addresses, by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.hpp"
#include "common/base/result.hpp"
#include "common/wire/message_loop.hpp"
#include "services/queue/settings.hpp"

namespace spdlog {
class logger;
}

namespace penstock::queue {

class QueueService {
 public:
  struct Surroundings {
    std::shared_ptr<wire::MessageLoop::Context>
        context;  ///< shared with workers of the same process (inproc)
    const Clock& clock;
    spdlog::logger& log;
  };
  /// Opens, recovers, binds. When it returns, requests are accepted; they are worked on by run().
  [[nodiscard]] static Result<std::unique_ptr<QueueService>> start(const Settings& settings,
                                                                   const Surroundings& surroundings);
  ~QueueService();
  QueueService(const QueueService&) = delete;
  QueueService& operator=(const QueueService&) = delete;

  /// Works until drained.
  void run();
  /// No new jobs, no new leases; run() returns when what is leased has ended, or after the drain timeout.
  void drain();
  /// run() returns at once; what is leased is taken up again after the next start.
  void abort();

  [[nodiscard]] std::uint16_t http_port() const;
  [[nodiscard]] const std::vector<std::string>& endpoints() const;

 private:
  struct Impl;
  explicit QueueService(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::queue
