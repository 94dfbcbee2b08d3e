// How long each phase of one partition took: one record, from which histogram, trace, job JSON and log line
// come.
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <optional>

#include "common/base/clock.hpp"
#include "common/base/phase.hpp"

namespace penstock::telemetry {

using Duration = std::chrono::nanoseconds;

/// Phases add up when they occur more than once (a retry). Not thread-safe: one owner at a time.
class PhaseTimes {
 public:
  void add(Phase phase, Duration spent) {
    const auto index = static_cast<std::size_t>(phase);
    spent_[index] += spent;
    seen_.set(index);
  }
  void add(const PhaseTimes& other) {
    for (std::size_t i = 0; i < phase_count; ++i)
      if (other.seen_.test(i)) add(static_cast<Phase>(i), other.spent_[i]);
  }
  [[nodiscard]] std::optional<Duration> get(Phase phase) const {
    const auto index = static_cast<std::size_t>(phase);
    if (!seen_.test(index)) return std::nullopt;
    return spent_[index];
  }

  /// Calls visit(Phase, Duration) for every phase that occurred, in the order of the list.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < phase_count; ++i)
      if (seen_.test(i)) visit(static_cast<Phase>(i), spent_[i]);
  }

 private:
  std::array<Duration, phase_count> spent_{};
  std::bitset<phase_count> seen_;
};

/// Times a scope on the host's steady clock. `PhaseScope scope(times, Phase::witness);`
class PhaseScope {
 public:
  PhaseScope(PhaseTimes& times, Phase phase) : times_(times), phase_(phase) {}
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;
  ~PhaseScope() { times_.add(phase_, std::chrono::steady_clock::now() - start_); }

 private:
  PhaseTimes& times_;
  Phase phase_;
  SteadyTime start_ = std::chrono::steady_clock::now();
};

}  // namespace penstock::telemetry
