// A clock that moves only when told to.
#pragma once

#include "common/base/clock.hpp"

namespace penstock::queue::test {

class FakeClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady_now() const override { return SteadyTime(elapsed_); }
  [[nodiscard]] WallTime wall_now() const override {
    return WallTime(std::chrono::hours(24 * 20000)) + elapsed_;
  }
  void advance(std::chrono::milliseconds by) { elapsed_ += by; }

 private:
  std::chrono::nanoseconds elapsed_ = std::chrono::hours(1);
};

}  // namespace penstock::queue::test
