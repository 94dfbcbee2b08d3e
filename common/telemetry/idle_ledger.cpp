#include "common/telemetry/idle_ledger.hpp"

#include <algorithm>
#include <map>

namespace penstock::telemetry {
namespace {

/// What may hold at a moment, in the order in which it decides: the device is busy, else the reasons.
constexpr std::size_t busy_cause = 0;
constexpr std::size_t cause_count = 1 + static_cast<std::size_t>(IdleReason::no_partition);
constexpr std::size_t cause_of(IdleReason reason) {
  return 1 + static_cast<std::size_t>(reason);
}

/// A lane that keeps one partition for very long must not let the others' intervals pile up.
constexpr std::size_t most_open_intervals = 16'384;

struct CausedInterval {
  Interval when;
  std::size_t cause;
};

struct Change {
  SteadyTime at;
  std::size_t cause;
  int by;
};

}  // namespace

struct IdleLedger::Account {
  Account(SteadyTime start, Observer on_piece) : settled(start), observer(std::move(on_piece)) {}

  void add(std::size_t cause, SteadyTime begin, SteadyTime end) {
    if (begin < end) closed.push_back({{begin, end}, cause});
  }

  /// The account is closed up to here: later news about that time is cut off.
  void settle(SteadyTime until) {
    if (until <= settled) return;
    std::vector<Change> changes;
    const auto enter = [&](std::size_t cause, SteadyTime begin, SteadyTime end) {
      begin = std::max(begin, settled);
      end = std::min(end, until);
      if (begin >= end) return;
      changes.push_back({begin, cause, 1});
      changes.push_back({end, cause, -1});
    };
    for (const auto& [when, cause] : closed) enter(cause, when.begin, when.end);
    for (std::size_t cause = 0; cause < cause_count; ++cause)
      if (open_count[cause] > 0) enter(cause, open_since[cause], until);
    for (const auto& [hand, since] : hands) enter(cause_of(IdleReason::host), since, until);
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
    walk(changes, until);
    std::erase_if(closed, [&](const CausedInterval& one) { return one.when.end <= until; });
    settled = until;
  }

  void walk(const std::vector<Change>& changes, SteadyTime until) {
    std::array<int, cause_count> holding{};
    SteadyTime since = settled;
    std::size_t cause = cause_count;
    const auto close_at = [&](SteadyTime at, std::size_t next) {
      if (next == cause) return;
      credit(cause, {since, at});
      since = at;
      cause = next;
    };
    for (std::size_t i = 0; i < changes.size();) {
      const SteadyTime at = changes[i].at;
      for (; i < changes.size() && changes[i].at == at; ++i) holding[changes[i].cause] += changes[i].by;
      const auto first = std::find_if(holding.begin(), holding.end(), [](int count) { return count > 0; });
      close_at(at, static_cast<std::size_t>(first - holding.begin()));
    }
    credit(cause, {since, until});
  }

  /// A cause of cause_count is none of them: no partition.
  void credit(std::size_t cause, const Interval& when) {
    if (when.begin >= when.end) return;
    const Seconds spent = when.end - when.begin;
    std::optional<IdleReason> reason;
    if (cause == busy_cause) {
      totals.busy += spent;
    } else {
      reason = static_cast<IdleReason>(cause - 1);
      totals.idle[cause - 1] += spent;
    }
    if (observer) observer({when, reason});
  }

  /// Nothing that is still to be reported began before this.
  [[nodiscard]] SteadyTime known_until(SteadyTime now) const {
    for (const auto& [hand, since] : hands) now = std::min(now, since);
    return now;
  }

  SteadyTime settled;
  Observer observer;
  Totals totals;
  std::vector<CausedInterval> closed;
  std::array<int, cause_count + 1> open_count{};
  std::array<SteadyTime, cause_count + 1> open_since{};
  std::map<Hand, SteadyTime> hands;
  Hand last_hand = 0;
};

IdleLedger::IdleLedger(const Clock& clock, Observer observer)
    : clock_(clock), account_(std::make_unique<Account>(clock.steady_now(), std::move(observer))) {}

IdleLedger::~IdleLedger() = default;

void IdleLedger::begin(IdleReason activity) {
  const std::lock_guard lock(mutex_);
  const std::size_t cause = cause_of(activity);
  if (account_->open_count[cause]++ == 0) account_->open_since[cause] = clock_.steady_now();
}

void IdleLedger::end(IdleReason activity) {
  const std::lock_guard lock(mutex_);
  const std::size_t cause = cause_of(activity);
  if (--account_->open_count[cause] == 0)
    account_->add(cause, account_->open_since[cause], clock_.steady_now());
}

IdleLedger::Hand IdleLedger::take() {
  const std::lock_guard lock(mutex_);
  account_->hands.emplace(++account_->last_hand, clock_.steady_now());
  return account_->last_hand;
}

void IdleLedger::put_down(Hand hand, const LaneTimeline& timeline) {
  const std::lock_guard lock(mutex_);
  const auto held = account_->hands.find(hand);
  if (held == account_->hands.end()) return;
  const Interval when{held->second, clock_.steady_now()};
  account_->hands.erase(held);
  account_->add(cause_of(IdleReason::host), when.begin, when.end);
  for (const Segment& segment : timeline.segments)
    account_->add(busy_cause, std::max({segment.first, segment.submitted, when.begin}),
                  std::min(segment.last, when.end));
  for (const Interval& transfer : timeline.transfers)
    account_->add(cause_of(IdleReason::transfer), std::max(transfer.begin, when.begin),
                  std::min(transfer.end, when.end));
  if (account_->closed.size() > most_open_intervals) account_->settle(when.end);
}

IdleLedger::Totals IdleLedger::totals() {
  const std::lock_guard lock(mutex_);
  account_->settle(account_->known_until(clock_.steady_now()));
  return account_->totals;
}

Seconds IdleLedger::Totals::wall() const {
  Seconds sum = busy;
  for (const Seconds& one : idle) sum += one;
  return sum;
}

}  // namespace penstock::telemetry
