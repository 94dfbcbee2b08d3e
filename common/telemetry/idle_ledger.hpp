// The idle ledger: every moment of a device is busy, or has one reason not to be.
// Shape: intervals on the host's steady clock. Busy is the union over the lanes of their segments; the rest
// is split wherever a state changes, and each piece gets the first reason that holds: fault, circuit_load,
// transfer (a copy in flight), host (a lane has a partition in hand), no_partition.
// What a lane did is known when its partition has ended, so the account is settled up to the oldest partition
// in hand and no further: totals never go back, and lag by one partition at most.
// Threads: any. Errors: none. Cost: a short lock a change; a sort of the open intervals a settlement.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "common/base/clock.hpp"

namespace penstock::telemetry {

/// In the order of precedence; `no_partition` holds when nothing else does.
enum class IdleReason : std::uint8_t { fault, circuit_load, transfer, host, no_partition };
inline constexpr std::array<std::string_view, 5> idle_reason_names = {"fault", "circuit_load", "transfer",
                                                                      "host", "no_partition"};
[[nodiscard]] constexpr std::string_view name(IdleReason reason) {
  return idle_reason_names[static_cast<std::size_t>(reason)];
}

struct Interval {
  SteadyTime begin, end;
};

/// A run of one lane's kernels with no wait, copy, callback or allocation inside, between two device events.
/// A segment that is not one graph says when the host had enqueued the last of it: what lies between the
/// first event and that moment may be the host's delay, so it counts as the host's and not as busy.
struct Segment {
  SteadyTime first, last;
  SteadyTime submitted = SteadyTime::min();
};

/// What one lane did for one partition.
struct LaneTimeline {
  std::vector<Segment> segments;
  std::vector<Interval> transfers;
  void clear() {
    segments.clear();
    transfers.clear();
  }
};

/// A piece of the settled account; `reason` is empty where the device was busy.
struct SettledPiece {
  Interval when;
  std::optional<IdleReason> reason;
};

class IdleLedger {
 public:
  using Observer = std::function<void(const SettledPiece&)>;
  /// The account begins now. `observer` sees every settled piece, in order, under the ledger's lock.
  explicit IdleLedger(const Clock& clock, Observer observer = {});
  ~IdleLedger();
  IdleLedger(const IdleLedger&) = delete;
  IdleLedger& operator=(const IdleLedger&) = delete;

  /// Activities that are seen while they last: fault, circuit_load. They nest.
  void begin(IdleReason activity);
  void end(IdleReason activity);

  using Hand = std::uint64_t;
  /// A lane takes a partition in hand, and puts it down with what the device did meanwhile (cut to that
  /// time).
  [[nodiscard]] Hand take();
  void put_down(Hand hand, const LaneTimeline& timeline);

  struct Totals {
    Seconds busy{0};
    std::array<Seconds, idle_reason_names.size()> idle{};
    [[nodiscard]] Seconds of(IdleReason reason) const { return idle[static_cast<std::size_t>(reason)]; }
    /// Busy and all reasons: the wall clock that is settled.
    [[nodiscard]] Seconds wall() const;
  };
  [[nodiscard]] Totals totals();

 private:
  struct Account;
  const Clock& clock_;
  std::mutex mutex_;
  std::unique_ptr<Account> account_;
};

/// begin() and end() around a scope.
class LedgerScope {
 public:
  LedgerScope(IdleLedger& ledger, IdleReason activity) : ledger_(ledger), activity_(activity) {
    ledger_.begin(activity_);
  }
  LedgerScope(const LedgerScope&) = delete;
  LedgerScope& operator=(const LedgerScope&) = delete;
  ~LedgerScope() { ledger_.end(activity_); }

 private:
  IdleLedger& ledger_;
  IdleReason activity_;
};

/// A partition in a lane's hand, put down at the end of the scope however it ends.
class InHand {
 public:
  explicit InHand(IdleLedger& ledger) : ledger_(ledger), hand_(ledger.take()) {}
  InHand(const InHand&) = delete;
  InHand& operator=(const InHand&) = delete;
  ~InHand() { ledger_.put_down(hand_, timeline_); }
  void did(const LaneTimeline& timeline) { timeline_ = timeline; }

 private:
  IdleLedger& ledger_;
  IdleLedger::Hand hand_;
  LaneTimeline timeline_;
};

}  // namespace penstock::telemetry
