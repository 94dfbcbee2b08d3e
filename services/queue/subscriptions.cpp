#include "services/queue/subscriptions.hpp"

#include "common/runtime/http_text.hpp"
#include "services/queue/json_views.hpp"

namespace penstock::queue {

void Subscriptions::wait_for(const JobId& job, ResponderPtr responder, SteadyTime until, Tell tell) {
  polls_[job].push_back({.responder = std::move(responder), .until = until, .tell = std::move(tell)});
}

void Subscriptions::stream(const JobRecord& job, ResponderPtr responder) {
  // All of it at once: a job may be larger than what a slow client is allowed to leave waiting.
  std::string snapshot = runtime::event_text("job", job_event_json(job));
  for (const PartitionRecord& partition : job.partitions)
    snapshot += runtime::event_text("partition", partition_event_json(job.id, partition));
  responder->begin_events(std::move(snapshot));
  if (is_finished(job.state))
    responder->end_events();
  else
    streams_[job.id].push_back(std::move(responder));
}

void Subscriptions::publish(const PartitionTouched& touched) {
  const auto found = streams_.find(touched.job);
  if (found == streams_.end()) return;
  const std::string data = partition_event_json(touched.job, touched.partition);
  std::erase_if(found->second, [&](const auto& stream) { return !stream->write_event("partition", data); });
  if (found->second.empty()) streams_.erase(found);
}

void Subscriptions::publish(const JobRecord& job) {
  if (const auto found = streams_.find(job.id); found != streams_.end()) {
    const std::string data = job_event_json(job);
    std::erase_if(found->second, [&](const auto& stream) { return !stream->write_event("job", data); });
    if (is_finished(job.state))
      for (const auto& stream : found->second) stream->end_events();
    if (is_finished(job.state) || found->second.empty()) streams_.erase(found);
  }
  const auto found = polls_.find(job.id);
  if (found == polls_.end() || !is_finished(job.state)) return;
  const std::string body = job_json(job);
  for (const Poll& poll : found->second) {
    if (poll.tell)
      poll.tell(job, poll.responder);
    else
      poll.responder->send({.status = 200, .body = body});
  }
  polls_.erase(found);
}

std::vector<Subscriptions::Expired> Subscriptions::expire(SteadyTime now) {
  std::vector<Expired> expired;
  for (auto& [job, polls] : polls_) {
    std::erase_if(polls, [&](Poll& poll) {
      if (poll.until > now) return false;  // also for one that has hung up: after a half close it still reads
      expired.push_back({.job = job, .responder = std::move(poll.responder)});
      return true;
    });
  }
  std::erase_if(polls_, [](const auto& entry) { return entry.second.empty(); });
  for (auto& [job, streams] : streams_)
    std::erase_if(streams, [](const auto& one) { return !one->connected(); });
  std::erase_if(streams_, [](const auto& entry) { return entry.second.empty(); });
  return expired;
}

std::vector<Subscriptions::Expired> Subscriptions::close() {
  for (const auto& [job, streams] : streams_)
    for (const auto& stream : streams) stream->end_events();
  streams_.clear();
  std::vector<Expired> waiting;
  for (auto& [job, polls] : polls_)
    for (Poll& poll : polls) waiting.push_back({.job = job, .responder = std::move(poll.responder)});
  polls_.clear();
  return waiting;
}

std::size_t Subscriptions::size() const {
  std::size_t total = 0;
  for (const auto& [job, polls] : polls_) total += polls.size();
  for (const auto& [job, streams] : streams_) total += streams.size();
  return total;
}

}  // namespace penstock::queue
