// A queue between threads that cannot grow: fullness is an error code for the producer, never a wait.
// Threads: any. Order: first in, first out. Errors: overloaded (full), draining (closed).
// Cost: a lock; no allocation once the deque's blocks are there.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "common/base/result.hpp"

namespace penstock::runtime {

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  /// On an error `item` is left as it was: the producer keeps what it could not hand over.
  [[nodiscard]] Status try_push(T&& item) {
    {
      const std::scoped_lock lock(mutex_);
      if (closed_) return Error{.code = ErrorCode::draining, .what = "the queue is closed"};
      if (items_.size() >= capacity_)
        return Error{.code = ErrorCode::overloaded,
                     .what = "the queue of " + std::to_string(capacity_) + " is full"};
      items_.push_back(std::move(item));
    }
    changed_.notify_one();
    return {};
  }

  /// Waits for an item. nullopt when a stop is asked for, or when the queue is closed and empty.
  [[nodiscard]] std::optional<T> wait_pop(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [this] { return closed_ || !items_.empty(); });
    if (stop.stop_requested() || items_.empty()) return std::nullopt;
    return pop_locked();
  }
  [[nodiscard]] std::optional<T> try_pop() {
    const std::scoped_lock lock(mutex_);
    if (items_.empty()) return std::nullopt;
    return pop_locked();
  }

  /// No more pushes; what is inside can still be popped.
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return items_.size();
  }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  T pop_locked() {
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace penstock::runtime
