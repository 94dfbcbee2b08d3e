// One thread with a bounded queue of work: for what would block the loop or an HTTP thread (disk, hashing).
// Ownership: the destructor runs what is queued, then joins. Threads: submit() from any.
// Errors: overloaded when the queue is full; a piece of work that throws ends the process (a defect).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "common/base/result.hpp"

namespace penstock::queue {

class BackgroundThread {
 public:
  BackgroundThread(std::string name, std::size_t max_queued);
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  ~BackgroundThread();
  [[nodiscard]] Status submit(std::function<void()> work);
  /// Waits until what was submitted before has run.
  void wait_idle();

 private:
  void run();
  const std::string name_;
  const std::size_t max_queued_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  // guarded by mutex_
  bool stopping_ = false, working_ = false;  // guarded by mutex_
  std::thread thread_;                       // last: it uses the rest
};

}  // namespace penstock::queue
