// One thread with a bounded queue of work: for what would block the loop or an HTTP thread (disk, hashing).
// Ownership: the destructor runs what is queued, then joins. Threads: submit() from any.
// Errors: overloaded when the queue is full. A piece of work that throws (a defect, or no memory) is told to
//   `on_failure` and let go: a request it held is answered by its responder's end, the next piece runs.
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
  using OnFailure = std::function<void(const std::string& what)>;  ///< on the thread; must not throw
  BackgroundThread(std::string name, std::size_t max_queued, OnFailure on_failure);
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  ~BackgroundThread();
  [[nodiscard]] Status submit(std::function<void()> work);
  /// Waits until what was submitted before has run.
  void wait_idle();

 private:
  void run();
  void attempt(const std::function<void()>& work) const;
  const std::string name_;
  const std::size_t max_queued_;
  const OnFailure on_failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  // guarded by mutex_
  bool stopping_ = false, working_ = false;  // guarded by mutex_
  std::thread thread_;                       // last: it uses the rest
};

}  // namespace penstock::queue
