#include "services/gpu/staged_queue.hpp"

#include <tuple>

namespace penstock::gpu {

bool StagedQueue::Before::operator()(const StagedPartitionPtr& a, const StagedPartitionPtr& b) const {
  // Job ids sort by time of admission; the token keeps two attempts apart (equal keys must not overwrite).
  const auto key = [](const StagedPartition& p) {
    return std::tuple(-static_cast<int>(p.priority), std::cref(p.ref.job), p.ref.index, p.ref.token);
  };
  const auto [urgency_a, job_a, index_a, token_a] = key(*a);
  const auto [urgency_b, job_b, index_b, token_b] = key(*b);
  if (urgency_a != urgency_b) return urgency_a < urgency_b;
  if (job_a.get() != job_b.get()) return job_a.get() < job_b.get();
  return std::tie(index_a, token_a) < std::tie(index_b, token_b);
}

void StagedQueue::push(StagedPartitionPtr partition) {
  const std::lock_guard lock(mutex_);
  waiting_.insert(std::move(partition));
  arrived_.notify_one();
}

StagedPartitionPtr StagedQueue::pop(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, stop, [this] { return !waiting_.empty(); });
  if (stop.stop_requested()) return nullptr;
  auto first = *waiting_.begin();
  waiting_.erase(waiting_.begin());
  return first;
}

StagedPartitionPtr StagedQueue::take_back(const wire::PartitionRef& ref) {
  const std::lock_guard lock(mutex_);
  for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
    const wire::PartitionRef& held = (*it)->ref;
    if (held.job != ref.job || held.index != ref.index || held.token != ref.token) continue;
    auto taken = *it;
    waiting_.erase(it);
    return taken;
  }
  return nullptr;
}

std::size_t StagedQueue::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace penstock::gpu
