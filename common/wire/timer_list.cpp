#include "common/wire/timer_list.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace penstock::wire {

TimerList::Id TimerList::add(SteadyTime due, std::optional<std::chrono::milliseconds> interval,
                             Handler handler) {
  if (interval) interval = std::max(*interval, std::chrono::milliseconds(1));
  const Id id = ++last_;
  by_due_.emplace(std::pair(due, id), Timer{interval, std::make_shared<Handler>(std::move(handler))});
  due_.emplace(id, due);
  return id;
}

void TimerList::cancel(Id id) {
  const auto found = due_.find(id);
  if (found == due_.end()) return;
  by_due_.erase({found->second, id});
  due_.erase(found);
}

void TimerList::run_due(SteadyTime now) {
  std::vector<Id> ready;
  for (const auto& [key, timer] : by_due_) {
    if (key.first > now) break;
    ready.push_back(key.second);
  }
  for (const Id id : ready) {
    const auto found = due_.find(id);
    if (found == due_.end()) continue;  // cancelled by a handler before it
    auto node = by_due_.extract({found->second, id});
    const auto handler = node.mapped().handler;  // outlives a cancel from inside
    if (const auto interval = node.mapped().interval) {
      const SteadyTime next = std::max(found->second + *interval, now + std::chrono::milliseconds(1));
      node.key().first = found->second = next;
      by_due_.insert(std::move(node));
    } else {
      due_.erase(found);
    }
    (*handler)();
  }
}

std::optional<SteadyTime> TimerList::next_due() const {
  if (by_due_.empty()) return std::nullopt;
  return by_due_.begin()->first.first;
}

}  // namespace penstock::wire
