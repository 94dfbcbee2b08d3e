// Timers as a value: due times in, handlers run, no thread and no clock of its own.
// Threads: one. Handlers may add and cancel timers, themselves included. Cost: O(log n).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "common/base/clock.hpp"

namespace penstock::wire {

class TimerList {
 public:
  using Id = std::uint64_t;
  using Handler = std::function<void()>;

  /// With an interval it repeats; missed repetitions are skipped, not made up for.
  Id add(SteadyTime due, std::optional<std::chrono::milliseconds> interval, Handler handler);
  void cancel(Id id);
  /// Runs what was due when the call began, in order of due time.
  void run_due(SteadyTime now);
  [[nodiscard]] std::optional<SteadyTime> next_due() const;

 private:
  struct Timer {
    std::optional<std::chrono::milliseconds> interval;
    std::shared_ptr<Handler> handler;
  };
  std::map<std::pair<SteadyTime, Id>, Timer> by_due_;
  std::unordered_map<Id, SteadyTime> due_;
  Id last_ = 0;
};

}  // namespace penstock::wire
