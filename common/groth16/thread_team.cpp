#include "common/groth16/thread_team.hpp"

#include <utility>

#include "common/groth16/core_places.hpp"
#include "common/groth16/cpu_quota.hpp"

namespace penstock::groth16 {
namespace {

constexpr std::uint32_t inside_mask = 0x7fff, open_bit = 0x8000, run_step = 0x10000;

bool is_open(std::uint32_t gate) {
  return (gate & open_bit) != 0;
}
std::uint32_t run_of(std::uint32_t gate) {
  return gate / run_step;
}

/// A park and a wake cost 5 to 50 us on a virtual machine, the serial steps between two runs of a proof less.
/// 2,000 pauses are about 25 to 60 us. Threads beyond the cores never spin: they would keep others off them.
constexpr int spins_when_cores_allow = 2000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadTeam::ThreadTeam(int threads, Placement placement) : size_(threads), spins_(0) {
  const int cores = available_cores();
  if (size_ <= 0) size_ = cores;
  if (size_ <= cores) spins_ = spins_when_cores_allow;
  threads_.reserve(static_cast<std::size_t>(size_ - 1));
  std::vector<int> places;
  if (placement == Placement::pinned) places = core_places(size_);
  is_pinned_ = !places.empty();
  for (int worker = 1; worker < size_; ++worker)
    threads_.emplace_back(
        [this, worker, place = places.empty() ? -1 : places[static_cast<std::size_t>(worker)]] {
          if (place >= 0) pin_this_thread(place);
          work(worker);
        });
}

ThreadTeam::~ThreadTeam() {
  stop_.store(true);
  gate_.fetch_add(run_step);
  gate_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::share(Claim claim, const void* context) {
  const std::lock_guard lock(one_run_);
  claim_ = claim;
  context_ = context;
  gate_.fetch_add(run_step | open_bit);  // the gate was closed and empty: opens the next run
  gate_.notify_all();
  call(0);
  // No task is left: whoever has not come in by now need not.
  std::uint32_t gate = gate_.fetch_and(~open_bit) & ~open_bit;
  while ((gate & inside_mask) != 0) gate = wait_while(gate);
  if (const std::exception_ptr error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
}

/// The gate once it differs from `gate`: spins, then sleeps.
std::uint32_t ThreadTeam::wait_while(std::uint32_t gate) const {
  for (int i = 0; i < spins_; ++i, pause())
    if (const std::uint32_t now = gate_.load(); now != gate) return now;
  gate_.wait(gate);
  return gate_.load();
}

void ThreadTeam::work(int worker) {
  std::uint32_t gate = 0, served = 0;  // run 0 never opens before the count has gone round
  while (!stop_.load()) {
    if (!is_open(gate) || run_of(gate) == served) {
      gate = wait_while(gate);
      continue;
    }
    if (!gate_.compare_exchange_weak(gate, gate + 1)) continue;
    served = run_of(gate);
    call(worker);
    gate = gate_.fetch_sub(1) - 1;
    if (!is_open(gate) && (gate & inside_mask) == 0) gate_.notify_all();  // the caller may sleep on it
  }
}

void ThreadTeam::call(int worker) noexcept {
  try {
    claim_(context_, worker);
  } catch (...) {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

}  // namespace penstock::groth16
