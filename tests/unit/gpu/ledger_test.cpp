// Busy and idle: every moment is credited once, to the right cause.
#include "tests/unit/gpu/core_rig.hpp"

namespace penstock::gpu::tests {
namespace {

double idle(const BusyLedger::Totals& totals, IdleReason reason) {
  return totals.idle[static_cast<std::size_t>(reason)].count();
}

TEST(BusyLedger, busy_is_the_union_over_the_lanes) {
  MovedClock clock;
  BusyLedger ledger(clock);
  ledger.begin_proving();
  clock.advance(1s);
  ledger.begin_proving();
  clock.advance(2s);
  ledger.end_proving();
  clock.advance(3s);
  ledger.end_proving();
  clock.advance(4s);
  const auto totals = ledger.totals();
  EXPECT_DOUBLE_EQ(totals.busy.count(), 6);
  EXPECT_DOUBLE_EQ(idle(totals, IdleReason::no_partition), 4);
}

TEST(BusyLedger, idle_time_has_one_reason_by_precedence) {
  MovedClock clock;
  BusyLedger ledger(clock);
  {
    const LedgerScope transfer(ledger, IdleReason::transfer);
    clock.advance(1s);
    const LedgerScope loading(ledger, IdleReason::circuit_load);
    clock.advance(2s);
    const ProvingScope busy(ledger);
    clock.advance(4s);
  }
  clock.advance(8s);
  const auto totals = ledger.totals();
  EXPECT_DOUBLE_EQ(idle(totals, IdleReason::transfer), 1);
  EXPECT_DOUBLE_EQ(idle(totals, IdleReason::circuit_load), 2);
  EXPECT_DOUBLE_EQ(totals.busy.count(), 4);
  EXPECT_DOUBLE_EQ(idle(totals, IdleReason::no_partition), 8);
}

TEST(BusyLedger, busy_and_idle_add_up_to_the_wall_clock) {
  MovedClock clock;
  BusyLedger ledger(clock);
  for (int i = 1; i <= 20; ++i) {
    clock.advance(std::chrono::milliseconds(i));
    const ProvingScope busy(ledger);
    clock.advance(std::chrono::milliseconds(2 * i));
  }
  const auto totals = ledger.totals();
  double sum = totals.busy.count();
  for (const auto& reason : totals.idle) sum += reason.count();
  EXPECT_NEAR(sum, 0.630, 1e-9);
}

}  // namespace
}  // namespace penstock::gpu::tests
