// The device phases of one partition as event pairs on one stream: marks in the order in which the work was
// enqueued, read after the last one has been reached. Pooled: nothing is created in the steady state.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "common/telemetry/phase_times.hpp"
#include "cuda/device/stream.hpp"

namespace penstock::cuda {

class PhaseEvents {
 public:
  /// The time from the previous mark to this one belongs to `phase`; the first mark only starts the clock.
  void start(const Stream& stream) {
    used_ = 0;
    mark(stream, Phase::h2d);
  }
  void mark(const Stream& stream, Phase ended) {
    if (used_ == events_.size()) events_.emplace_back(Event(Event::Use::timing), ended);
    events_[used_].second = ended;
    stream.record(events_[used_].first);
    ++used_;
  }
  /// REQUIRES the last mark reached.
  void collect(telemetry::PhaseTimes& phases) const {
    for (std::size_t i = 1; i < used_; ++i) {
      const std::chrono::duration<double, std::milli> spent(
          events_[i].first.milliseconds_since(events_[i - 1].first));
      phases.add(events_[i].second, std::chrono::duration_cast<telemetry::Duration>(spent));
    }
  }

 private:
  std::vector<std::pair<Event, Phase>> events_;
  std::size_t used_ = 0;
};

}  // namespace penstock::cuda
