// What a service does about peers that are turned away: counts each, and tells it once a minute, for they try
// again for ever. Threads: the loop's.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "common/base/clock.hpp"
#include "common/telemetry/metrics.hpp"
#include "common/wire/message_loop.hpp"

namespace penstock::runtime {

class TurnedAwayLog {
 public:
  /// `metrics` may be null: a service that counts no rejections.
  TurnedAwayLog(const Clock& clock, telemetry::Metrics* metrics, std::function<void(const std::string&)> say)
      : clock_(clock), metrics_(metrics), say_(std::move(say)) {}

  void note(const wire::MessageLoop::TurnedAway& one) {
    if (metrics_ != nullptr && one.who == wire::MessageLoop::TurnedAway::Who::peer)
      metrics_->add("rejected_total", {{"reason", name(one.error.code)}});
    const SteadyTime now = clock_.steady_now();
    if (said_.size() >= most_remembered) said_.clear();
    const auto [said, is_new] = said_.try_emplace(one.error.what, now);
    if (!is_new && now - said->second < interval) return;
    said->second = now;
    say_(to_string(one.error));
  }

 private:
  static constexpr std::chrono::minutes interval{1};
  static constexpr std::size_t most_remembered = 64;
  const Clock& clock_;
  telemetry::Metrics* metrics_;
  std::function<void(const std::string&)> say_;
  std::map<std::string, SteadyTime> said_;
};

}  // namespace penstock::runtime
