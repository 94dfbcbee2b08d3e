// Busy and idle on scripted timelines: every moment is credited once, to the right cause.
#include "common/telemetry/idle_ledger.hpp"

#include <gtest/gtest.h>

namespace penstock::telemetry {
namespace {

using namespace std::chrono_literals;

class ScriptedClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady_now() const override { return now; }
  [[nodiscard]] WallTime wall_now() const override { return {}; }
  void at(std::chrono::milliseconds since_start) { now = start + since_start; }
  const SteadyTime start{1000s};
  SteadyTime now = start;
};

class IdleLedgerScript : public ::testing::Test {
 protected:
  SteadyTime at(std::chrono::milliseconds since_start) const { return clock_.start + since_start; }
  Segment kernels(std::chrono::milliseconds first, std::chrono::milliseconds last) const {
    return {at(first), at(last)};
  }
  Interval copy(std::chrono::milliseconds begin, std::chrono::milliseconds end) const {
    return {at(begin), at(end)};
  }
  /// One partition of one lane, from `taken` to `done`.
  void partition(std::chrono::milliseconds taken, std::chrono::milliseconds done,
                 const LaneTimeline& timeline) {
    clock_.at(taken);
    const auto hand = ledger_.take();
    clock_.at(done);
    ledger_.put_down(hand, timeline);
  }
  void expect(double busy, double no_partition, double host, double transfer, double circuit_load = 0,
              double fault = 0) {
    const auto totals = ledger_.totals();
    EXPECT_NEAR(totals.busy.count() * 1e3, busy, 1e-6);
    EXPECT_NEAR(totals.of(IdleReason::no_partition).count() * 1e3, no_partition, 1e-6);
    EXPECT_NEAR(totals.of(IdleReason::host).count() * 1e3, host, 1e-6);
    EXPECT_NEAR(totals.of(IdleReason::transfer).count() * 1e3, transfer, 1e-6);
    EXPECT_NEAR(totals.of(IdleReason::circuit_load).count() * 1e3, circuit_load, 1e-6);
    EXPECT_NEAR(totals.of(IdleReason::fault).count() * 1e3, fault, 1e-6);
  }

  ScriptedClock clock_;
  std::vector<SettledPiece> pieces_;
  IdleLedger ledger_{clock_, [this](const SettledPiece& piece) { pieces_.push_back(piece); }};
};

TEST_F(IdleLedgerScript, an_idle_device_without_work_has_no_partition) {
  clock_.at(40ms);
  expect(0, 40, 0, 0);
}

TEST_F(IdleLedgerScript, one_partition_is_copied_computed_and_assembled) {
  partition(10ms, 60ms, {{kernels(21ms, 50ms)}, {copy(11ms, 20ms), copy(50ms, 51ms)}});
  clock_.at(100ms);
  expect(29, 50, 11, 10);
}

TEST_F(IdleLedgerScript, busy_is_the_union_over_the_lanes_and_not_their_sum) {
  clock_.at(0ms);
  const auto first = ledger_.take();
  clock_.at(10ms);
  const auto second = ledger_.take();
  clock_.at(40ms);
  ledger_.put_down(first, {{kernels(0ms, 30ms)}, {}});
  clock_.at(60ms);
  ledger_.put_down(second, {{kernels(20ms, 50ms)}, {copy(10ms, 20ms)}});
  expect(50, 0, 10, 0);
}

TEST_F(IdleLedgerScript, a_copy_under_another_lanes_kernels_costs_nothing) {
  clock_.at(0ms);
  const auto computes = ledger_.take(), copies = ledger_.take();
  clock_.at(100ms);
  ledger_.put_down(computes, {{kernels(0ms, 60ms)}, {}});
  ledger_.put_down(copies, {{kernels(70ms, 100ms)}, {copy(10ms, 70ms)}});
  expect(90, 0, 0, 10);
}

TEST_F(IdleLedgerScript, a_delay_of_the_host_between_the_first_event_and_the_launch_is_the_hosts) {
  // The first event was reached at 10 ms, the host slept 50 ms, then launched 20 ms of kernels.
  Segment segment = kernels(10ms, 80ms);
  segment.submitted = at(60ms);
  partition(0ms, 80ms, {{segment}, {}});
  expect(20, 0, 60, 0);
}

TEST_F(IdleLedgerScript, a_segment_enqueued_after_its_last_event_was_never_busy) {
  Segment segment = kernels(10ms, 20ms);
  segment.submitted = at(30ms);
  partition(0ms, 40ms, {{segment}, {}});
  expect(0, 0, 40, 0);
}

TEST_F(IdleLedgerScript, a_gap_between_two_segments_is_idle) {
  partition(0ms, 50ms, {{kernels(0ms, 20ms), kernels(30ms, 50ms)}, {}});
  expect(40, 0, 10, 0);
}

TEST_F(IdleLedgerScript, each_piece_of_an_idle_interval_has_its_own_reason) {
  clock_.at(10ms);
  ledger_.begin(IdleReason::circuit_load);
  clock_.at(30ms);
  ledger_.end(IdleReason::circuit_load);
  partition(40ms, 100ms, {{kernels(70ms, 90ms)}, {copy(50ms, 70ms)}});
  clock_.at(110ms);
  ledger_.begin(IdleReason::fault);
  clock_.at(130ms);
  expect(20, 30, 20, 20, 20, 20);
  const std::vector<std::optional<IdleReason>> reasons = {
      IdleReason::no_partition, IdleReason::circuit_load, IdleReason::no_partition,
      IdleReason::host,         IdleReason::transfer,     std::nullopt,
      IdleReason::host,         IdleReason::no_partition, IdleReason::fault};
  ASSERT_EQ(pieces_.size(), reasons.size());
  for (std::size_t i = 0; i < reasons.size(); ++i) EXPECT_EQ(pieces_[i].reason, reasons[i]) << i;
}

TEST_F(IdleLedgerScript, reasons_that_hold_at_once_are_told_by_precedence) {
  clock_.at(0ms);
  const auto hand = ledger_.take();
  clock_.at(20ms);
  ledger_.begin(IdleReason::circuit_load);
  clock_.at(30ms);
  ledger_.begin(IdleReason::fault);
  clock_.at(35ms);
  ledger_.end(IdleReason::fault);
  clock_.at(40ms);
  ledger_.end(IdleReason::circuit_load);
  clock_.at(60ms);
  ledger_.put_down(hand, {{kernels(50ms, 60ms)}, {copy(10ms, 50ms)}});
  expect(10, 0, 10, 20, 15, 5);
}

TEST_F(IdleLedgerScript, activities_nest) {
  ledger_.begin(IdleReason::circuit_load);
  clock_.at(10ms);
  ledger_.begin(IdleReason::circuit_load);
  clock_.at(20ms);
  ledger_.end(IdleReason::circuit_load);
  clock_.at(30ms);
  ledger_.end(IdleReason::circuit_load);
  clock_.at(50ms);
  expect(0, 20, 0, 0, 30);
}

TEST_F(IdleLedgerScript, nothing_is_settled_beyond_the_oldest_partition_in_hand) {
  clock_.at(10ms);
  const auto hand = ledger_.take();
  clock_.at(50ms);
  expect(0, 10, 0, 0);
  clock_.at(60ms);
  ledger_.put_down(hand, {{kernels(20ms, 60ms)}, {}});
  expect(40, 10, 10, 0);
}

TEST_F(IdleLedgerScript, totals_never_go_back_and_add_up_to_the_wall_clock) {
  double before = 0;
  for (int i = 1; i <= 50; ++i) {
    const std::chrono::milliseconds begin(i * 20);
    partition(begin, begin + 15ms, {{kernels(begin + 3ms, begin + 12ms)}, {copy(begin, begin + 4ms)}});
    const double wall = ledger_.totals().wall().count();
    EXPECT_GE(wall, before);
    before = wall;
  }
  EXPECT_NEAR(before, 1.015, 1e-9);
}

TEST_F(IdleLedgerScript, what_a_device_reports_outside_the_partitions_time_is_cut) {
  partition(10ms, 20ms, {{kernels(0ms, 30ms)}, {copy(0ms, 40ms)}});
  clock_.at(50ms);
  expect(10, 40, 0, 0);
}

TEST_F(IdleLedgerScript, intervals_do_not_pile_up_behind_a_partition_that_takes_for_ever) {
  clock_.at(0ms);
  const auto stuck = ledger_.take();
  for (int i = 0; i < 40'000; ++i) {
    const std::chrono::milliseconds begin(i * 2);
    partition(begin, begin + 2ms, {{kernels(begin, begin + 1ms)}, {}});
  }
  EXPECT_GT(ledger_.totals().wall(), 60s) << "the account went on without the stuck lane";
  ledger_.put_down(stuck, {{kernels(0ms, 80'000ms)}, {}});
  EXPECT_NEAR(ledger_.totals().wall().count(), 80, 1e-9);
}

}  // namespace
}  // namespace penstock::telemetry
