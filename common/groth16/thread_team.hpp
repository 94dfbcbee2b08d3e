// A fork-join team: many tasks, claimed one by one until none is left.
// Ownership: owns its threads; they spin for some microseconds after a run, then sleep, and end with the
// object.
// Threads: for_each() from any thread, one run at a time (others wait); never from inside a task.
// Errors: the first exception of a task is rethrown to the caller, after every thread has come back.
// Cost: about a microsecond a run while the team is awake. Nobody waits for a thread that has not come: a run
// is over when the tasks are done, however late the system wakes the others. One task runs in the caller.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace penstock::groth16 {

/// pinned: every thread but the caller's keeps to a processor of core_places().
enum class Placement : std::uint8_t { free, pinned };

class ThreadTeam {
 public:
  /// 0: available_cores().
  explicit ThreadTeam(int threads = 0, Placement placement = Placement::free);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  [[nodiscard]] int size() const { return size_; }
  /// False also where pinning was asked for and the machine has fewer processors than threads.
  [[nodiscard]] bool is_pinned() const { return is_pinned_; }

  /// body(std::size_t task, int worker) for every task in [0, tasks), claimed in increasing order.
  template <class Body>
  void for_each(std::size_t tasks, Body&& body) {
    if (tasks == 0) return;
    if (tasks == 1 || size_ == 1) {
      for (std::size_t task = 0; task < tasks; ++task) body(task, 0);
      return;
    }
    std::atomic<std::size_t> next{0};
    const auto claim = [&](int worker) {
      for (std::size_t task = next.fetch_add(1); task < tasks; task = next.fetch_add(1)) body(task, worker);
    };
    share([](const void* context, int worker) { (*static_cast<const decltype(claim)*>(context))(worker); },
          &claim);
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
  using Claim = void (*)(const void* context, int worker);
  void share(Claim claim, const void* context);
  void work(int worker);
  [[nodiscard]] std::uint32_t wait_while(std::uint32_t gate) const;
  void call(int worker) noexcept;

  int size_;
  bool is_pinned_ = false;
  std::mutex one_run_;
  int spins_;  // before a thread sleeps
  Claim claim_ = nullptr;
  const void* context_ = nullptr;
  std::atomic<std::uint32_t> gate_{0};  // run number << 16 | open << 15 | threads inside, without the caller
  std::atomic<bool> stop_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace penstock::groth16
