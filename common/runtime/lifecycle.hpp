// Signals and drain: SIGTERM and SIGINT ask to drain, a second one quits at once with exit code 130/143.
#pragma once

#include <functional>
#include <memory>

namespace penstock::runtime {

/// Blocks the signals in the calling thread (call first in main, before any thread starts) and watches them
/// on a thread of its own. `on_drain` runs once, on that thread; while and after it runs, a second signal
/// quits at once. SIGPIPE is ignored from here on. Destruction stops watching and unblocks the signals again.
/// A child process inherits the blocked signals: whoever spawns one resets its mask
/// (posix_spawnattr_setsigmask).
class SignalWatcher {
 public:
  explicit SignalWatcher(std::function<void()> on_drain);
  ~SignalWatcher();
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::runtime
