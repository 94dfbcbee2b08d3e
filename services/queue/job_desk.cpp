#include "services/queue/job_desk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "services/queue/json_views.hpp"

namespace penstock::queue {

JobId make_job_id(WallMillis now) {
  std::string random = random_uuid();
  std::erase(random, '-');
  return JobId(fmt::format("{:012x}{}", now.time_since_epoch().count(), random.substr(0, 20)));
}

// ---- submission ----

void JobDesk::submit(SubmissionPtr submission) {
  parts_.loop.post([this, submission = std::move(submission)] { reserve(submission); });
}

Status JobDesk::find_room(Submission& submission) {
  if (draining_)
    return Error{.code = ErrorCode::draining,
                 .what = "the queue is shutting down and takes no new jobs",
                 .hint = "try again in a moment"};
  const auto circuit = parts_.circuits.find(submission.request.circuit);
  if (!circuit) return no_such_circuit(submission.request.circuit);
  const std::uint64_t size = submission.body.view().size();
  if (intake_bytes_ > 0 && intake_bytes_ + size > parts_.max_intake_bytes)
    return Error{.code = ErrorCode::overloaded, .what = "too many large jobs are being taken in at once"};
  PENSTOCK_TRY(parts_.scheduler.reserve(static_cast<std::uint32_t>(submission.request.inputs.size())));
  intake_bytes_ += size;
  ++pins_[circuit->ref.id];
  submission.circuit = circuit->ref;
  return {};
}

void JobDesk::reserve(const SubmissionPtr& submission) {
  if (const Status room = find_room(*submission); !room.ok()) return refuse(*submission, room.error());
  const WallMillis now = to_millis(parts_.clock.wall_now());
  JobRecord& job = submission->job;
  job.id = make_job_id(now);
  job.circuit = submission->circuit.name;
  job.circuit_id = submission->circuit.id;
  job.curve = submission->circuit.curve;
  job.priority = submission->request.priority;
  job.created = now;
  job.deadline = submission->request.deadline;
  for (const JobInput& input : submission->request.inputs) {
    PartitionRecord partition;
    partition.index = static_cast<std::uint32_t>(job.partitions.size());
    partition.input_kind = input.kind;
    job.partitions.push_back(partition);
  }
  if (const Status queued = parts_.intake.submit([this, submission] { store(submission); }); !queued.ok()) {
    release(*submission);
    refuse(*submission, queued.error());
  }
}

Status JobDesk::store_inputs(const Submission& submission) const {
  PENSTOCK_TRY(check_inputs(submission.request, submission.circuit));
  for (std::uint32_t i = 0; i < submission.request.inputs.size(); ++i) {
    const std::string_view content = submission.request.inputs[i].content;
    PENSTOCK_TRY(parts_.blobs.write(submission.job.id, i, std::as_bytes(std::span(content))));
  }
  return parts_.blobs.sync();
}

void JobDesk::store(const SubmissionPtr& submission) {
  if (Status stored = store_inputs(*submission); !stored.ok()) {
    remove_inputs(*submission);
    parts_.loop.post([this, submission, error = std::move(stored).error()] {
      release(*submission);
      refuse(*submission, error);
    });
    return;
  }
  JobAdmitted change{.job = submission->job, .idempotency = {}};
  if (!submission->idempotency_key.empty())
    change.idempotency = mark_of(submission->idempotency_key, submission->request);
  parts_.writer.submit({std::move(change)}, LedgerWriter::Insist::no,
                       [this, submission](Result<std::vector<Outcome>> outcomes) {
                         auto kept = std::make_shared<Result<std::vector<Outcome>>>(std::move(outcomes));
                         parts_.loop.post([this, submission, kept] { admitted(submission, *kept); });
                       });
}

void JobDesk::admitted(const SubmissionPtr& submission, const Result<std::vector<Outcome>>& outcomes) {
  release(*submission);
  const bool fresh = outcomes.ok() && !outcomes->front().existing;
  if (!fresh) {
    const Status queued = parts_.intake.submit([this, submission] { remove_inputs(*submission); });
    if (!queued.ok()) remove_inputs(*submission);
  }
  if (!outcomes.ok()) return refuse(*submission, outcomes.error());
  if (const auto& existing = outcomes->front().existing) {
    if (existing->same_body)
      return accept(*submission, existing->job, {{"Idempotency-Replayed", "true"}},
                    "{\"id\":" + json_string(existing->job.text()) + "}");
    return refuse(*submission, Error{.code = ErrorCode::conflict,
                                     .what = "this Idempotency-Key was used for another request",
                                     .hint = "use a fresh key for every different job"});
  }
  JobRecord& job = submission->job;
  job.sequence = outcomes->front().sequence;
  parts_.scheduler.add(job, submission->circuit, parts_.clock.steady_now() - submission->received);
  accept(*submission, job.id, {}, job_event_json(job));
  parts_.dispatcher.pump();
}

void JobDesk::accept(const Submission& submission, const JobId& job, HttpHeaders headers,
                     std::string body) const {
  headers.emplace_back("Location", "/v1/jobs/" + job.text());
  submission.responder->send({.status = 202, .body = std::move(body), .headers = std::move(headers)});
}

void JobDesk::release(const Submission& submission) {
  parts_.scheduler.unreserve(static_cast<std::uint32_t>(submission.request.inputs.size()));
  intake_bytes_ -= std::min<std::uint64_t>(submission.body.view().size(), intake_bytes_);
  const auto pin = pins_.find(submission.circuit.id);
  if (pin != pins_.end() && --pin->second == 0) pins_.erase(pin);
}

void JobDesk::refuse(const Submission& submission, const Error& error) {
  HttpHeaders headers;
  if (error.code == ErrorCode::overloaded || error.code == ErrorCode::draining)
    headers.emplace_back("Retry-After", std::to_string(parts_.scheduler.retry_after().count()));
  parts_.answers.refuse(submission.responder, error, std::move(headers));
}

void JobDesk::remove_inputs(const Submission& submission) const {
  for (std::uint32_t i = 0; i < submission.request.inputs.size(); ++i)
    parts_.blobs.remove(submission.job.id, i);
}

// ---- looking ----

void JobDesk::with_ledger_job(const JobId& job, ResponderPtr responder,
                              std::function<void(const JobRecord&, const ResponderPtr&)> use) {
  const Status queued = parts_.reader.submit([this, job, responder, use = std::move(use)] {
    const auto found = parts_.ledger.find(job);
    if (!found.ok()) return parts_.answers.refuse(responder, found.error());
    if (!*found) return Answers::tell(responder, no_such_job());
    use(**found, responder);
  });
  if (!queued.ok()) parts_.answers.refuse(responder, queued.error());
}

void JobDesk::answer_from_ledger(const JobId& job, ResponderPtr responder) {
  with_ledger_job(job, std::move(responder), [](const JobRecord& record, const ResponderPtr& to) {
    to->send({.status = 200, .body = job_json(record)});
  });
}

void JobDesk::get(const JobId& job, std::chrono::milliseconds wait, ResponderPtr responder) {
  const SteadyTime until =
      parts_.clock.steady_now() + std::min<std::chrono::milliseconds>(wait, longest_wait);
  parts_.loop.post([this, job, wait, until, responder = std::move(responder)]() mutable {
    const auto record = parts_.scheduler.find(job);
    if (!record) return answer_from_ledger(job, std::move(responder));
    if (wait.count() > 0) return parts_.subscriptions.wait_for(job, std::move(responder), until);
    responder->send({.status = 200, .body = job_json(*record)});
  });
}

void JobDesk::events(const JobId& job, ResponderPtr responder) {
  parts_.loop.post([this, job, responder = std::move(responder)]() mutable {
    if (const auto record = parts_.scheduler.find(job))
      return parts_.subscriptions.stream(*record, std::move(responder));
    with_ledger_job(job, std::move(responder), [](const JobRecord& found, const ResponderPtr& to) {
      Subscriptions finished;  // a stream that begins and ends
      finished.stream(found, to);
    });
  });
}

void JobDesk::cancel(const JobId& job, ResponderPtr responder) {
  parts_.loop.post([this, job, responder = std::move(responder)]() mutable {
    if (parts_.scheduler.cancel(job).ok()) {
      // Answered when the ledger holds the cancellation.
      parts_.subscriptions.wait_for(job, std::move(responder), parts_.clock.steady_now() + longest_wait);
      return parts_.dispatcher.pump();
    }
    with_ledger_job(job, std::move(responder), [this](const JobRecord& found, const ResponderPtr& to) {
      if (found.state == JobState::cancelled) return to->send({.status = 200, .body = job_json(found)});
      parts_.answers.refuse(to, Error{.code = ErrorCode::conflict,
                                      .what = fmt::format("the job is already {}", name(found.state))});
    });
  });
}

void JobDesk::list(const JobFilter& filter, ResponderPtr responder) {
  const Status queued = parts_.reader.submit([this, filter, responder] {
    const auto jobs = parts_.ledger.list(filter);
    if (!jobs.ok()) return parts_.answers.refuse(responder, jobs.error());
    responder->send({.status = 200, .body = job_list_json(*jobs)});
  });
  if (!queued.ok()) parts_.answers.refuse(responder, queued.error());
}

void JobDesk::tick() {
  for (Subscriptions::Expired& poll : parts_.subscriptions.expire(parts_.clock.steady_now())) {
    if (const auto record = parts_.scheduler.find(poll.job))
      poll.responder->send({.status = 200, .body = job_json(*record)});
    else
      answer_from_ledger(poll.job, std::move(poll.responder));
  }
}

void JobDesk::close() {
  for (const Subscriptions::Expired& poll : parts_.subscriptions.close())
    if (const auto record = parts_.scheduler.find(poll.job))
      poll.responder->send({.status = 200, .body = job_json(*record)});
}

}  // namespace penstock::queue
