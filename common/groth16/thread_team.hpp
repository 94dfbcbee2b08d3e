// A fork-join team: one body on every thread, or many tasks claimed one by one until none is left.
// Ownership: owns its threads; they sleep between runs and end with the object.
// Threads: run() from any thread, one run at a time (others wait); never from inside a body.
// Errors: the first exception of a body is rethrown to the caller, after every thread has come back.
// Cost: a few microseconds a run; a team of one, or a single task, runs in the caller without any hand-over.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace penstock::groth16 {

class ThreadTeam {
 public:
  /// 0: available_cores().
  explicit ThreadTeam(int threads = 0);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  [[nodiscard]] int size() const { return size_; }

  /// body(int worker) once per thread; the caller is worker 0.
  template <class Body>
  void run(Body&& body) {
    run_erased(
        [](void* context, int worker) { (*static_cast<std::remove_reference_t<Body>*>(context))(worker); },
        &body);
  }

  /// body(std::size_t task, int worker) for every task in [0, tasks), claimed in increasing order.
  template <class Body>
  void for_each(std::size_t tasks, Body&& body) {
    if (tasks == 0) return;
    if (tasks == 1 || size_ == 1) {
      for (std::size_t task = 0; task < tasks; ++task) body(task, 0);
      return;
    }
    std::atomic<std::size_t> next{0};
    run([&](int worker) {
      for (std::size_t task = next.fetch_add(1); task < tasks; task = next.fetch_add(1)) body(task, worker);
    });
  }

  /// body(std::size_t begin, std::size_t end) over [0, count) in pieces of about `grain`.
  template <class Body>
  void for_ranges(std::size_t count, std::size_t grain, Body&& body) {
    for_each((count + grain - 1) / grain, [&](std::size_t task, int) {
      const std::size_t begin = task * grain;
      body(begin, begin + grain < count ? begin + grain : count);
    });
  }

 private:
  using ErasedBody = void (*)(void* context, int worker);
  void run_erased(ErasedBody body, void* context);
  void work(int worker, std::uint64_t seen);
  void call_body(int worker) noexcept;

  int size_;
  std::mutex one_run_;
  ErasedBody body_ = nullptr;
  void* context_ = nullptr;
  std::atomic<std::uint64_t> generation_{0};  // counts runs: a change wakes the team
  std::atomic<int> running_{0};
  std::atomic<bool> stop_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace penstock::groth16
