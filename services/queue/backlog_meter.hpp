// How many seconds of work wait: measured from what a stage completes while it has work, so that an idle hour
// does not make the stage look slow. Pure arithmetic over a clock passed in. Threads: one.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/clock.hpp"

namespace penstock::queue {

class BacklogMeter {
 public:
  /// To be called whenever the stage gains or loses work: `in_work` partitions from now on.
  void update(SteadyTime now, std::size_t in_work);
  /// One partition left the stage, completed.
  void completed(SteadyTime now);
  /// Seconds of the stage's time per partition; nullopt until something was completed.
  [[nodiscard]] std::optional<double> seconds_each() const;
  /// Partitions a second while busy; 0 until measured.
  [[nodiscard]] double rate() const;

 private:
  void advance(SteadyTime now);
  SteadyTime last_{};
  bool busy_ = false;
  // Sums that halve every half_life of busy time.
  double busy_seconds_ = 0, completions_ = 0;
};

}  // namespace penstock::queue
