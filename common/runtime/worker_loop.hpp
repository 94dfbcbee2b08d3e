// A thread that takes items from a bounded queue and handles one at a time.
// Ownership: the loop owns its thread; the queue and what the handler refers to outlive it.
// Threads: the handler runs on the loop's thread. Destruction asks to stop and joins; the item in work is
// finished. Errors: a handler that throws goes to `on_defect`, once, and the loop goes on with the next item.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "common/runtime/bounded_queue.hpp"
#include "common/runtime/thread_name.hpp"

namespace penstock::runtime {

template <class T>
class WorkerLoop {
 public:
  using Handler = std::function<void(T, std::stop_token)>;
  using OnDefect = std::function<void(std::exception_ptr)>;

  WorkerLoop(std::string name, BoundedQueue<T>& queue, Handler handler, OnDefect on_defect)
      : handler_(std::move(handler)),
        on_defect_(std::move(on_defect)),
        thread_([this, &queue, label = std::move(name)](const std::stop_token& stop) {
          name_this_thread(label);
          while (auto item = queue.wait_pop(stop)) handle(std::move(*item), stop);
        }) {}
  WorkerLoop(const WorkerLoop&) = delete;
  WorkerLoop& operator=(const WorkerLoop&) = delete;

  /// The handler sees it through its token; the loop ends after the item in work.
  void request_stop() { thread_.request_stop(); }
  /// After the queue was closed: returns when everything inside has been handled.
  void wait_drained() { thread_.join(); }

 private:
  void handle(T item, const std::stop_token& stop) {
    try {
      handler_(std::move(item), stop);
    } catch (...) {
      on_defect_(std::current_exception());
    }
  }

  Handler handler_;
  OnDefect on_defect_;
  std::jthread thread_;  // last: it starts when the others are there
};

}  // namespace penstock::runtime
