// Clients that wait: long polls for the end of a job, and event streams of everything that happens to it.
// Ownership: shares the responders; one that is answered, ended or gone is dropped. Threads: the loop's.
// Cost: a job's answer is rendered once, however many wait for it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/runtime/http_server.hpp"
#include "services/queue/effects.hpp"

namespace penstock::queue {

class Subscriptions {
 public:
  using ResponderPtr = std::shared_ptr<runtime::Responder>;
  /// How a finished job is told to one who waits.
  using Tell = std::function<void(const JobRecord&, const ResponderPtr&)>;
  /// Answers when the job finishes, by `tell` or with the job itself; or, with the job as it then is, at
  /// `until`.
  void wait_for(const JobId& job, ResponderPtr responder, SteadyTime until, Tell tell = {});
  /// Begins the stream with the job as it is now.
  void stream(const JobRecord& job, ResponderPtr responder);

  void publish(const PartitionTouched& partition);
  void publish(const JobRecord& job);
  /// Polls whose time is over: the caller answers them (the job may be known to the ledger only).
  struct Expired {
    JobId job;
    ResponderPtr responder;
  };
  [[nodiscard]] std::vector<Expired> expire(SteadyTime now);
  /// Everything that waits, at shutdown. Streams are ended here.
  [[nodiscard]] std::vector<Expired> close();
  [[nodiscard]] std::size_t size() const;

 private:
  struct Poll {
    ResponderPtr responder;
    SteadyTime until;
    Tell tell;
  };
  std::unordered_map<JobId, std::vector<Poll>> polls_;
  std::unordered_map<JobId, std::vector<ResponderPtr>> streams_;
};

}  // namespace penstock::queue
