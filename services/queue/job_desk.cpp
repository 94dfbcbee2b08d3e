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
  if (submission->idempotency_key.empty())
    return parts_.loop.post([this, submission = std::move(submission)] { reserve(submission); });
  const Status queued = parts_.intake.submit([this, submission] { recall(submission); });
  if (!queued.ok()) parts_.answers.refuse(submission->responder, queued.error());
}

/// A request that was accepted before gets its job, whatever has changed since: its deadline may have passed,
/// its circuit be gone, the queue be full.
void JobDesk::recall(const SubmissionPtr& submission) {
  submission->mark = mark_of(submission->idempotency_key, submission->request);
  const auto known = parts_.ledger.find(*submission->mark);
  if (!known.ok()) return parts_.answers.refuse(submission->responder, known.error());
  if (*known) return replay(*submission, **known);
  parts_.loop.post([this, submission] { reserve(submission); });
}

void JobDesk::replay(const Submission& submission, const Outcome::Existing& existing) const {
  if (existing.same_body)
    return accept(submission, existing.job, {{"Idempotency-Replayed", "true"}},
                  "{\"id\":" + json_string(existing.job.text()) + "}");
  parts_.answers.refuse(submission.responder,
                        Error{.code = ErrorCode::conflict,
                              .what = "this Idempotency-Key was used for another request",
                              .hint = "use a fresh key for every different job"});
}

Status JobDesk::find_room(Submission& submission) {
  if (draining_)
    return Error{.code = ErrorCode::draining,
                 .what = "the queue is shutting down and takes no new jobs",
                 .hint = "try again in a moment"};
  PENSTOCK_TRY(check_deadline(submission.request, to_millis(parts_.clock.wall_now())));
  const auto circuit = parts_.circuits.find(submission.request.circuit);
  if (!circuit) return no_such_circuit(submission.request.circuit);
  if (circuit->ref.insecure_dev && !parts_.allow_insecure_keys)
    return Error{
        .code = ErrorCode::insecure_key,
        .what = "the circuit's key was made by setup --insecure-dev: whoever made it can forge proofs",
        .hint = "use a key from a ceremony, or start every service with --allow-insecure-keys"};
  if (const auto largest = parts_.scheduler.workers().largest_arena_if_too_small(circuit->ref))
    return Error{.code = ErrorCode::body_too_large,
                 .what = "a partition of " + circuit->ref.name + " takes up to " +
                         std::to_string(slab_bytes_of(circuit->ref)) +
                         " bytes of an arena and the largest there is has " + std::to_string(*largest),
                 .hint = "start penstock-gpu with a larger --arena-bytes"};
  PENSTOCK_TRY(parts_.scheduler.reserve(static_cast<std::uint32_t>(submission.request.inputs.size())));
  ++pins_[circuit->ref.id];
  submission.circuit = circuit->ref;
  return {};
}

void JobDesk::reserve(const SubmissionPtr& submission) {
  if (const Status room = find_room(*submission); !room.ok())
    return parts_.answers.refuse(submission->responder, room.error());
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
    parts_.answers.refuse(submission->responder, queued.error());
  }
}

std::vector<std::string> JobDesk::names_of(const Submission& submission) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < submission.request.inputs.size(); ++i)
    names.push_back(BlobStore::name_of(submission.job.id, i));
  return names;
}

Status JobDesk::store_inputs(const Submission& submission) const {
  PENSTOCK_TRY(check_inputs(submission.request, submission.circuit));
  for (std::uint32_t i = 0; i < submission.request.inputs.size(); ++i) {
    const std::string_view content = submission.request.inputs[i].content;
    PENSTOCK_TRY(parts_.blobs.write(submission.job.id, i, std::as_bytes(std::span(content))));
  }
  return parts_.blobs.sync(names_of(submission));
}

Status JobDesk::try_to_store_inputs(const Submission& submission) const {
  try {
    return store_inputs(submission);
  } catch (const std::exception&) {  // no memory, most likely: what was reserved must still be released
    return Error{.code = ErrorCode::internal, .what = "the inputs could not be taken in"};
  }
}

void JobDesk::store(const SubmissionPtr& submission) {
  if (Status stored = try_to_store_inputs(*submission); !stored.ok()) {
    remove_inputs(*submission);
    parts_.loop.post([this, submission, error = std::move(stored).error()] {
      release(*submission);
      parts_.answers.refuse(submission->responder, error);
    });
    return;
  }
  JobAdmitted change{.job = submission->job, .idempotency = submission->mark};
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
  if (!outcomes.ok()) return parts_.answers.refuse(submission->responder, outcomes.error());
  if (!fresh) return replay(*submission, *outcomes->front().existing);
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
  const auto pin = pins_.find(submission.circuit.id);
  if (pin != pins_.end() && --pin->second == 0) pins_.erase(pin);
}

void JobDesk::remove_inputs(const Submission& submission) const {
  parts_.blobs.remove(names_of(submission));
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
  const SteadyTime until = parts_.clock.steady_now() + wait;
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
    const auto tell = [this](const JobRecord& found, const ResponderPtr& to) { answer_cancel(found, to); };
    if (!parts_.scheduler.cancel(job).ok()) return with_ledger_job(job, std::move(responder), tell);
    // Answered when the ledger holds the end: results that are on their way into it stand.
    parts_.subscriptions.wait_for(job, std::move(responder), parts_.clock.steady_now() + longest_wait, tell);
    parts_.dispatcher.pump();
  });
}

void JobDesk::answer_cancel(const JobRecord& ended, const ResponderPtr& responder) const {
  if (ended.state == JobState::cancelled) return responder->send({.status = 200, .body = job_json(ended)});
  parts_.answers.refuse(
      responder, Error{.code = ErrorCode::conflict,
                       .what = fmt::format("nothing was cancelled: the job is {}", name(ended.state))});
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
