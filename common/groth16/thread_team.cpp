#include "common/groth16/thread_team.hpp"

#include <utility>

#include "common/groth16/cpu_quota.hpp"

namespace penstock::groth16 {

ThreadTeam::ThreadTeam(int threads) : size_(threads > 0 ? threads : available_cores()) {
  threads_.reserve(static_cast<std::size_t>(size_ - 1));
  for (int worker = 1; worker < size_; ++worker) threads_.emplace_back([this, worker] { work(worker, 0); });
}

ThreadTeam::~ThreadTeam() {
  stop_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run_erased(ErasedBody body, void* context) {
  const std::lock_guard lock(one_run_);
  body_ = body;
  context_ = context;
  running_.store(size_ - 1);
  if (size_ > 1) {
    generation_.fetch_add(1);
    generation_.notify_all();
  }
  call_body(0);
  for (int left = running_.load(); left != 0; left = running_.load()) running_.wait(left);
  if (const std::exception_ptr error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
}

void ThreadTeam::work(int worker, std::uint64_t seen) {
  while (true) {
    generation_.wait(seen);
    seen = generation_.load();
    if (stop_.load()) return;
    call_body(worker);
    if (running_.fetch_sub(1) == 1) running_.notify_all();
  }
}

void ThreadTeam::call_body(int worker) noexcept {
  try {
    body_(context_, worker);
  } catch (...) {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

}  // namespace penstock::groth16
