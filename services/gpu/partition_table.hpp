// Every partition this service knows of, from the request for a slab to the queue's commit of its result.
// Shape: keyed by job, index and fencing token, so that two attempts at one partition never mix.
// Threads: one (the message loop).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "common/wire/arena.hpp"
#include "common/wire/message_loop.hpp"
#include "common/wire/messages.hpp"
#include "services/gpu/staged_partition.hpp"

namespace penstock::gpu {

enum class PartitionStep : std::uint8_t {
  waiting,  ///< its circuit is being loaded; no slab yet
  granted,  ///< a worker holds the slab's lease
  staged,   ///< committed; in the lanes' queue
  proving,  ///< on a lane or with the finisher
  reported  ///< the result was sent and is kept until its receiver has committed it
};

struct PartitionEntry {
  wire::StageRequest request;
  wire::PeerId peer;  ///< the worker that asked last
  PartitionStep step = PartitionStep::waiting;
  SteadyTime asked_at{};
  std::shared_ptr<const LoadedCircuit> circuit;
  wire::SlabLease lease;  ///< valid while granted, staged and proving
  std::optional<wire::Message> result;
  SteadyTime finished_at{}, result_sent_at{};
  bool dropped = false;  ///< cancelled while proving: the result is thrown away
  telemetry::PhaseTimes phases;
  std::uint32_t credits = 0;         ///< remote and granted: chunks that may be on their way
  std::uint64_t received_bytes = 0;  ///< remote: what has arrived
};

class PartitionTable {
 public:
  using Key = std::tuple<JobId, std::uint32_t, FencingToken>;
  using Entries = std::map<Key, PartitionEntry>;

  [[nodiscard]] static Key key_of(const wire::PartitionRef& ref) { return {ref.job, ref.index, ref.token}; }

  [[nodiscard]] PartitionEntry* find(const wire::PartitionRef& ref) {
    const auto it = entries_.find(key_of(ref));
    return it == entries_.end() ? nullptr : &it->second;
  }
  PartitionEntry& insert(PartitionEntry entry) {
    const Key key = key_of(entry.request.partition);
    return entries_.insert_or_assign(key, std::move(entry)).first->second;
  }
  void erase(const wire::PartitionRef& ref) { entries_.erase(key_of(ref)); }
  [[nodiscard]] PartitionEntry* find_lease(std::uint64_t lease) {
    for (auto& [key, entry] : entries_)
      if (holds_slab(entry) && entry.lease.lease == lease) return &entry;
    return nullptr;
  }
  /// The other attempts at the same partition.
  [[nodiscard]] std::vector<wire::PartitionRef> siblings(const wire::PartitionRef& ref) const {
    std::vector<wire::PartitionRef> found;
    for (auto it = entries_.lower_bound({ref.job, ref.index, FencingToken{0}}); it != entries_.end(); ++it) {
      const wire::PartitionRef& other = it->second.request.partition;
      if (other.job != ref.job || other.index != ref.index) break;
      if (other.token != ref.token) found.push_back(other);
    }
    return found;
  }
  [[nodiscard]] static bool holds_slab(const PartitionEntry& entry) {
    return entry.step == PartitionStep::granted || entry.step == PartitionStep::staged ||
           entry.step == PartitionStep::proving;
  }
  [[nodiscard]] Entries& entries() { return entries_; }
  [[nodiscard]] const Entries& entries() const { return entries_; }

 private:
  Entries entries_;
};

/// The leases of partitions that are done: a commit that is repeated after the queue has confirmed the result
/// is answered as before. Bounded: the oldest are forgotten.
class RecentLeases {
 public:
  void remember(std::uint64_t lease) {
    if (known_.insert(lease).second) order_.push_back(lease);
    if (order_.size() <= most) return;
    known_.erase(order_.front());
    order_.pop_front();
  }
  [[nodiscard]] bool contains(std::uint64_t lease) const { return known_.contains(lease); }

 private:
  static constexpr std::size_t most = 4096;
  std::deque<std::uint64_t> order_;
  std::unordered_set<std::uint64_t> known_;
};

}  // namespace penstock::gpu
