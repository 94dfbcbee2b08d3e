// The device for one lane at a time: its kernels begin when the holder before has ended, by the device's own
// order, so that nobody waits on the host for the last kernel. Copies are not part of it: the next lane's
// partition is on the device by then.
// Threads: any. Cost: an event and a wait a partition; the host waits while another lane enqueues.
#pragma once

#include <mutex>

#include "cuda/device/stream.hpp"

namespace penstock::cuda {

class DeviceLease {
 public:
  class Held {
   public:
    Held(Held&&) = default;
    /// The lease ends with what is on the stream now. Does not synchronise.
    void end_with(const Stream& stream) {
      stream.record(lease_->ended_);
      lock_.unlock();
    }

   private:
    friend class DeviceLease;
    Held(DeviceLease& lease, std::unique_lock<std::mutex> lock) : lease_(&lease), lock_(std::move(lock)) {}
    DeviceLease* lease_;
    std::unique_lock<std::mutex> lock_;
  };

  /// What is enqueued on the stream from now on runs after the holders before. Waits until they have
  /// enqueued.
  [[nodiscard]] Held take(const Stream& stream) {
    std::unique_lock lock(mutex_);
    stream.wait_for(ended_);  // an event that was never recorded holds nobody up
    return {*this, std::move(lock)};
  }

 private:
  std::mutex mutex_;
  Event ended_{Event::Use::ordering};
};

}  // namespace penstock::cuda
