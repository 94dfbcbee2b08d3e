// A signal may ask to drain before the service stands: the request is kept and acted on then.
// Threads: any. The action runs under the lock, so that arm({}) returns only when no action is running.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace penstock::runtime {

class DrainRequest {
 public:
  void fire() {
    const std::scoped_lock lock(mutex_);
    fired_ = true;
    if (action_) action_();
  }
  /// An empty action disarms.
  void arm(std::function<void()> action) {
    const std::scoped_lock lock(mutex_);
    action_ = std::move(action);
    if (fired_ && action_) action_();
  }

 private:
  std::mutex mutex_;
  std::function<void()> action_;
  bool fired_ = false;
};

}  // namespace penstock::runtime
