// The room for request bodies that are being taken in, jobs' and circuits' together: what has left the HTTP
// server's own bound stays counted until it is let go.
// Shape: a lease counts its bytes from take() to its end. One body alone is always taken, however large.
// Ownership: outlives its leases. Threads: any. Errors: overloaded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>

#include "common/base/result.hpp"

namespace penstock::queue {

class IntakeBudget {
 public:
  explicit IntakeBudget(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}
  IntakeBudget(const IntakeBudget&) = delete;
  IntakeBudget& operator=(const IntakeBudget&) = delete;

  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), size_bytes_(other.size_bytes_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (budget_) budget_->give_back(size_bytes_);
    }

   private:
    friend class IntakeBudget;
    Lease(IntakeBudget& budget, std::uint64_t size_bytes) : budget_(&budget), size_bytes_(size_bytes) {}
    IntakeBudget* budget_;
    std::uint64_t size_bytes_;
  };
  [[nodiscard]] Result<Lease> take(std::uint64_t size_bytes) {
    const std::lock_guard hold(mutex_);
    if (used_bytes_ > 0 && size_bytes > max_bytes_ - std::min(used_bytes_, max_bytes_))
      return Error{.code = ErrorCode::overloaded,
                   .what = "too many large requests are being taken in at once"};
    used_bytes_ += size_bytes;
    return Lease(*this, size_bytes);
  }

 private:
  void give_back(std::uint64_t size_bytes) {
    const std::lock_guard hold(mutex_);
    used_bytes_ -= size_bytes;
  }
  const std::uint64_t max_bytes_;
  std::mutex mutex_;
  std::uint64_t used_bytes_ = 0;  // guarded by mutex_
};

}  // namespace penstock::queue
