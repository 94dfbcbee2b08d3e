// A message loop on a thread of its own, and a mailbox to wait on: the tests' side of the transport contract.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "common/wire/message_loop.hpp"

namespace penstock::wire::test {

/// Long enough for a loaded two-core machine under a sanitizer; reached only when a test fails.
inline constexpr std::chrono::seconds patience{60};

/// What arrived, in order. Threads: any.
template <class T>
class Mailbox {
 public:
  void put(T item) {
    const std::scoped_lock lock(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_all();
  }
  /// Waits until `count` items have arrived; returns all there are.
  std::vector<T> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, patience, [&] { return items_.size() >= count; }))
        << items_.size() << " of " << count << " arrived";
    return items_;
  }
  std::size_t size() {
    const std::scoped_lock lock(mutex_);
    return items_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<T> items_;
};

class LoopThread {
 public:
  explicit LoopThread(std::shared_ptr<MessageLoop::Context> context) : loop_(std::move(context)) {
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~LoopThread() {
    loop_.stop();
    thread_.join();
  }
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  MessageLoop& loop() { return loop_; }

  /// Runs `work` on the loop's thread and returns what it returns.
  template <class Work>
  auto on_loop(Work work) {
    std::packaged_task<decltype(work())()> task(std::move(work));
    auto result = task.get_future();
    loop_.post([&task] { task(); });
    return result.get();
  }

  /// Sends messages made by `make(0..count-1)` one after the other, each again until it is accepted.
  template <class Send, class Make>
  void send_all(Send send, Make make, std::uint32_t count) {
    std::promise<void> done;
    auto finished = done.get_future();
    std::uint32_t next = 0;
    MessageLoop::TimerId timer = 0;
    on_loop([&] {
      timer = loop_.every(std::chrono::milliseconds(1), [&] {
        while (next < count && send(make(next)).ok()) ++next;
        if (next < count) return;
        loop_.cancel(timer);
        done.set_value();
      });
      return 0;
    });
    ASSERT_EQ(finished.wait_for(patience), std::future_status::ready)
        << next << " of " << count << " accepted";
  }

 private:
  MessageLoop loop_;
  std::thread thread_;
};

}  // namespace penstock::wire::test
