#include "services/queue/background_thread.hpp"

#include <utility>

namespace penstock::queue {

BackgroundThread::BackgroundThread(std::string name, std::size_t max_queued, OnFailure on_failure)
    : name_(std::move(name)),
      max_queued_(max_queued),
      on_failure_(std::move(on_failure)),
      thread_([this] { run(); }) {}

BackgroundThread::~BackgroundThread() {
  {
    const std::lock_guard hold(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Status BackgroundThread::submit(std::function<void()> work) {
  {
    const std::lock_guard hold(mutex_);
    if (queue_.size() >= max_queued_)
      return Error{.code = ErrorCode::overloaded, .what = "too much " + name_ + " work is waiting"};
    queue_.push_back(std::move(work));
  }
  changed_.notify_all();
  return {};
}

void BackgroundThread::wait_idle() {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return queue_.empty() && !working_; });
}

void BackgroundThread::attempt(const std::function<void()>& work) const {
  try {
    work();
  } catch (const std::exception& failure) {
    on_failure_("a piece of " + name_ + " work has failed: " + failure.what());
  }
}

void BackgroundThread::run() {
  std::unique_lock hold(mutex_);
  for (;;) {
    changed_.wait(hold, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto work = std::move(queue_.front());
    queue_.pop_front();
    working_ = true;
    hold.unlock();
    attempt(work);
    work = nullptr;  // what it holds is released outside the lock
    hold.lock();
    working_ = false;
    changed_.notify_all();
  }
}

}  // namespace penstock::queue
