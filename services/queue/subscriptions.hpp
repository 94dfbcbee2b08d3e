// Clients that wait: long polls for the end of a job, and event streams of everything that happens to it.
// Ownership: shares the responders; one that is answered, ended or gone is dropped. Threads: the loop's.
// Cost: a job's answer is rendered once, however many wait for it.
#pragma once

#include <chrono>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/runtime/http_server.hpp"
#include "services/queue/effects.hpp"

namespace penstock::queue {

class Subscriptions {
 public:
  /// Answers when the job finishes or, with the job as it then is, at `until`.
  void wait_for(const JobId& job, std::shared_ptr<runtime::Responder> responder, SteadyTime until);
  /// Begins the stream with the job as it is now.
  void stream(const JobRecord& job, std::shared_ptr<runtime::Responder> responder);

  void publish(const PartitionTouched& partition);
  void publish(const JobRecord& job);
  /// Polls whose time is over: the caller answers them (the job may be known to the ledger only).
  struct Expired {
    JobId job;
    std::shared_ptr<runtime::Responder> responder;
  };
  [[nodiscard]] std::vector<Expired> expire(SteadyTime now);
  /// Everything that waits, at shutdown. Streams are ended here.
  [[nodiscard]] std::vector<Expired> close();
  [[nodiscard]] std::size_t size() const;

 private:
  struct Poll {
    std::shared_ptr<runtime::Responder> responder;
    SteadyTime until;
  };
  std::unordered_map<JobId, std::vector<Poll>> polls_;
  std::unordered_map<JobId, std::vector<std::shared_ptr<runtime::Responder>>> streams_;
};

}  // namespace penstock::queue
