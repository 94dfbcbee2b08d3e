#include "services/gpu/busy_ledger.hpp"

namespace penstock::gpu {

void BusyLedger::change(int& counter, int by) {
  const std::lock_guard lock(mutex_);
  credit();
  counter += by;
}

void BusyLedger::credit() {
  const SteadyTime now = clock_.steady_now();
  const Seconds spent = now - since_;
  since_ = now;
  if (proving_ > 0) {
    totals_.busy += spent;
    return;
  }
  for (std::size_t reason = 0; reason < active_.size(); ++reason) {
    if (active_[reason] == 0 && reason + 1 < active_.size()) continue;
    totals_.idle[reason] += spent;
    return;
  }
}

BusyLedger::Totals BusyLedger::totals() {
  const std::lock_guard lock(mutex_);
  credit();
  return totals_;
}

}  // namespace penstock::gpu
