// Time as an argument: code that waits or stamps takes a Clock, tests pass a fake one.
#pragma once

#include <chrono>

namespace penstock {

using SteadyTime = std::chrono::steady_clock::time_point;
using WallTime = std::chrono::system_clock::time_point;
using Seconds = std::chrono::duration<double>;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual SteadyTime steady_now() const = 0;
  [[nodiscard]] virtual WallTime wall_now() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady_now() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] WallTime wall_now() const override { return std::chrono::system_clock::now(); }
};

}  // namespace penstock
