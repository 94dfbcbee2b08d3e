// How long the host device proved and why it did not: busy is the union over the lanes of
// [prove_start, prove_finish]; every other moment has exactly one reason. The sum is the wall clock because
// every interval between two state changes is credited once.
// Threads: any. Cost: a short lock a change of state.
#pragma once

#include <array>
#include <mutex>
#include <string_view>

#include "common/base/clock.hpp"

namespace penstock::gpu {

/// In the order of precedence; `no_partition` holds when nothing else does.
enum class IdleReason : std::uint8_t { fault, circuit_load, transfer, host, no_partition };
inline constexpr std::array<std::string_view, 5> idle_reason_names = {"fault", "circuit_load", "transfer",
                                                                      "host", "no_partition"};

class BusyLedger {
 public:
  explicit BusyLedger(const Clock& clock) : clock_(clock), since_(clock.steady_now()) {}

  void begin_proving() { change(proving_, 1); }
  void end_proving() { change(proving_, -1); }
  void begin(IdleReason activity) { change(active_[static_cast<std::size_t>(activity)], 1); }
  void end(IdleReason activity) { change(active_[static_cast<std::size_t>(activity)], -1); }

  struct Totals {
    Seconds busy{0};
    std::array<Seconds, idle_reason_names.size()> idle{};
  };
  /// Up to now.
  [[nodiscard]] Totals totals();

 private:
  void change(int& counter, int by);
  void credit();

  const Clock& clock_;
  std::mutex mutex_;
  SteadyTime since_;
  int proving_ = 0;
  std::array<int, idle_reason_names.size()> active_{};
  Totals totals_;
};

/// begin() and end() around a scope.
class LedgerScope {
 public:
  LedgerScope(BusyLedger& ledger, IdleReason activity) : ledger_(ledger), activity_(activity) {
    ledger_.begin(activity_);
  }
  LedgerScope(const LedgerScope&) = delete;
  LedgerScope& operator=(const LedgerScope&) = delete;
  ~LedgerScope() { ledger_.end(activity_); }

 private:
  BusyLedger& ledger_;
  IdleReason activity_;
};

/// The device proves inside this scope.
class ProvingScope {
 public:
  explicit ProvingScope(BusyLedger& ledger) : ledger_(ledger) { ledger_.begin_proving(); }
  ProvingScope(const ProvingScope&) = delete;
  ProvingScope& operator=(const ProvingScope&) = delete;
  ~ProvingScope() { ledger_.end_proving(); }

 private:
  BusyLedger& ledger_;
};

}  // namespace penstock::gpu
