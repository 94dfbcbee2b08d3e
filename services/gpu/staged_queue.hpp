// What the lanes take from: staged partitions, urgent first, then the older job, then the lower index.
// Threads: any. Bounded by the arena: every entry holds a slab.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <stop_token>

#include "services/gpu/staged_partition.hpp"

namespace penstock::gpu {

class StagedQueue {
 public:
  void push(StagedPartitionPtr partition);
  /// Blocks until there is one; nullptr when stop was asked for.
  [[nodiscard]] StagedPartitionPtr pop(std::stop_token stop);
  /// Removes it when no lane has taken it yet; nullptr otherwise.
  StagedPartitionPtr take_back(const wire::PartitionRef& ref);
  [[nodiscard]] std::size_t size() const;

 private:
  struct Before {
    bool operator()(const StagedPartitionPtr& a, const StagedPartitionPtr& b) const;
  };
  mutable std::mutex mutex_;
  std::condition_variable_any arrived_;
  std::set<StagedPartitionPtr, Before> waiting_;
};

}  // namespace penstock::gpu
