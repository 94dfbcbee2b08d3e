// Where the device's events lie on the host's steady clock: an anchor is an event whose host time is known;
// others are placed by their distance from it. A new anchor is placed once a second, so that neither the two
// clocks' drift nor the distance's float (1 us at 16 s) matters, and each partition is placed by one anchor.
// Ownership: anchors are shared; they outlive the clock. Threads: any; REQUIRES the device is current.
// Errors: CudaError. Cost: about 20 us once a second; an anchor lies within a few microseconds of the truth.
#pragma once

#include <memory>
#include <mutex>

#include "common/base/clock.hpp"
#include "cuda/device/stream.hpp"

namespace penstock::cuda {

class ClockAnchor {
 public:
  /// Records an event on the idle stream, tries a few times and keeps the narrowest guess.
  explicit ClockAnchor(const Stream& stream);
  /// REQUIRES a timing event that was reached.
  [[nodiscard]] SteadyTime place(const Event& event) const;
  [[nodiscard]] SteadyTime at() const { return at_; }

 private:
  Event event_{Event::Use::timing};
  SteadyTime at_{};
};

class DeviceClock {
 public:
  [[nodiscard]] std::shared_ptr<const ClockAnchor> anchor();

 private:
  std::mutex mutex_;
  Stream stream_;
  std::shared_ptr<const ClockAnchor> current_;
};

}  // namespace penstock::cuda
