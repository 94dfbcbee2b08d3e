// The device phases of one partition as event pairs on one stream: marks in the order in which the work was
// enqueued, read after the last one has been reached. Each mark also stamps when the host had enqueued what
// lies before it: the phases go to histograms, the same pairs with the stamps to the idle ledger. Pooled:
// nothing is created in the steady state.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "common/telemetry/idle_ledger.hpp"
#include "common/telemetry/phase_times.hpp"
#include "cuda/device/device_clock.hpp"

namespace penstock::cuda {

class PhaseEvents {
 public:
  /// The time from the previous mark to this one belongs to `phase`; the first mark only starts the clock.
  void start(const Stream& stream, std::shared_ptr<const ClockAnchor> anchor) {
    anchor_ = std::move(anchor);
    used_ = 0;
    mark(stream, Phase::h2d);
  }
  /// Also before a wait: what follows is a segment of its own.
  void mark(const Stream& stream, Phase ended) {
    if (used_ == marks_.size()) marks_.emplace_back();
    stream.record(marks_[used_].event);
    marks_[used_].ended = ended;
    marks_[used_].submitted = std::chrono::steady_clock::now();
    ++used_;
  }
  /// REQUIRES the last mark reached.
  void collect(telemetry::PhaseTimes& phases) const {
    for (std::size_t i = 1; i < used_; ++i) {
      const std::chrono::duration<double, std::milli> spent(
          marks_[i].event.milliseconds_since(marks_[i - 1].event));
      phases.add(marks_[i].ended, std::chrono::duration_cast<telemetry::Duration>(spent));
    }
  }
  /// REQUIRES the last mark reached. Copies are transfers, waiting for the lease is neither, everything else
  /// is a segment.
  void collect(telemetry::LaneTimeline& timeline) const {
    timeline.clear();
    if (used_ == 0) return;
    SteadyTime begin = anchor_->place(marks_[0].event);
    for (std::size_t i = 1; i < used_; ++i) {
      const SteadyTime end = anchor_->place(marks_[i].event);
      if (marks_[i].ended == Phase::h2d || marks_[i].ended == Phase::d2h)
        timeline.transfers.push_back({begin, end});
      else if (marks_[i].ended != Phase::device_wait)
        timeline.segments.push_back({begin, end, marks_[i].submitted});
      begin = end;
    }
  }

 private:
  struct Mark {
    Event event{Event::Use::timing};
    Phase ended = Phase::h2d;
    SteadyTime submitted{};
  };
  std::vector<Mark> marks_;
  std::shared_ptr<const ClockAnchor> anchor_;
  std::size_t used_ = 0;
};

}  // namespace penstock::cuda
