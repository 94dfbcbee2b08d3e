// Signals and drain: SIGTERM and SIGINT ask to drain, a second one quits at once with exit code 130/143.
#pragma once

#include <functional>
#include <memory>

namespace penstock::runtime {

/// Blocks the signals in the calling thread (call first in main, before any thread starts) and watches them
/// on a thread of its own. `on_drain` runs once, on that thread. Destruction stops watching.
class SignalWatcher {
 public:
  explicit SignalWatcher(std::function<void()> on_drain);
  ~SignalWatcher();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::runtime
