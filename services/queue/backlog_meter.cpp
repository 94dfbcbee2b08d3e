#include "services/queue/backlog_meter.hpp"

#include <cmath>

namespace penstock::queue {

namespace {
/// Of busy time: long enough to smooth over a dozen seconds-long proofs, short enough to follow a new
/// circuit.
constexpr double half_life_seconds = 60;
}  // namespace

void BacklogMeter::advance(SteadyTime now) {
  if (busy_ && now > last_) {
    const double elapsed = Seconds(now - last_).count();
    const double kept = std::exp2(-elapsed / half_life_seconds);
    busy_seconds_ = busy_seconds_ * kept + elapsed;
    completions_ *= kept;
  }
  last_ = now;
}

void BacklogMeter::update(SteadyTime now, std::size_t in_work) {
  advance(now);
  busy_ = in_work > 0;
}

void BacklogMeter::completed(SteadyTime now) {
  advance(now);
  completions_ += 1;
}

std::optional<double> BacklogMeter::seconds_each() const {
  if (completions_ < 0.5 || busy_seconds_ <= 0) return std::nullopt;
  return busy_seconds_ / completions_;
}

double BacklogMeter::rate() const {
  const auto each = seconds_each();
  return each ? 1 / *each : 0;
}

}  // namespace penstock::queue
