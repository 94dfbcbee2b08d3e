// Jobs as clients see them: submit, look, wait, follow, cancel, list.
// Shape: every call returns at once; the answer goes to the responder when it is known. A submission passes
//   [with a key: intake thread (known already?) ->] loop (room?) -> intake thread (checks, inputs to disk) ->
//   ledger (fsync) -> loop (202).
// Ownership: borrows everything. Threads: the calls from any; tick(), close() and pinned() on the loop's.
// Errors: answered with their code.
#pragma once

#include <atomic>
#include <map>
#include <span>
#include <string>

#include "common/base/sensitive.hpp"
#include "common/wire/message_loop.hpp"
#include "services/queue/answers.hpp"
#include "services/queue/background_thread.hpp"
#include "services/queue/blob_store.hpp"
#include "services/queue/circuit_registry.hpp"
#include "services/queue/dispatcher.hpp"
#include "services/queue/intake_budget.hpp"
#include "services/queue/job_request.hpp"
#include "services/queue/ledger_writer.hpp"
#include "services/queue/subscriptions.hpp"

namespace penstock::queue {

inline constexpr std::chrono::seconds longest_wait{60};

/// A request body that holds secrets: wiped when it dies, and only then is its room free again. Not movable:
/// requests hold views into it.
class SecretBody {
 public:
  SecretBody(std::string text, IntakeBudget::Lease room) : room_(std::move(room)), text_(std::move(text)) {}
  SecretBody(const SecretBody&) = delete;
  SecretBody& operator=(const SecretBody&) = delete;
  ~SecretBody() { wipe(std::as_writable_bytes(std::span(text_))); }
  [[nodiscard]] std::string_view view() const { return text_; }

 private:
  IntakeBudget::Lease room_;  // first: given back when the text is gone
  std::string text_;
};

struct Submission {
  Submission(std::string text, IntakeBudget::Lease room) : body(std::move(text), std::move(room)) {}
  SecretBody body;
  JobRequest request;           ///< views into `body`
  std::string idempotency_key;  ///< empty: none
  SteadyTime received{};
  ResponderPtr responder;
  // Filled on the way:
  std::optional<IdempotencyMark> mark;
  wire::CircuitRef circuit;
  JobRecord job;
};

class JobDesk {
 public:
  struct Parts {
    wire::MessageLoop& loop;
    Scheduler& scheduler;
    Dispatcher& dispatcher;
    Subscriptions& subscriptions;
    const Ledger& ledger;
    LedgerWriter& writer;
    const BlobStore& blobs;
    const CircuitRegistry& circuits;
    BackgroundThread& reader;
    BackgroundThread& intake;
    const Answers& answers;
    const Clock& clock;
    bool allow_insecure_keys = false;  ///< off: a circuit that was registered when it was on takes no jobs
  };
  explicit JobDesk(const Parts& parts) : parts_(parts) {}

  void submit(std::shared_ptr<Submission> submission);
  /// REQUIRES a wait of at most `longest_wait`.
  void get(const JobId& job, std::chrono::milliseconds wait, ResponderPtr responder);
  void events(const JobId& job, ResponderPtr responder);
  void cancel(const JobId& job, ResponderPtr responder);
  void list(const JobFilter& filter, ResponderPtr responder);

  /// Answers the polls whose time is over.
  void tick();
  /// No more submissions.
  void drain() { draining_ = true; }
  /// Answers whoever still waits.
  void close();
  [[nodiscard]] bool admitting() const { return !pins_.empty(); }
  /// Is somebody being admitted with this circuit right now?
  [[nodiscard]] bool pinned(const CircuitId& circuit) const { return pins_.contains(circuit); }

 private:
  using SubmissionPtr = std::shared_ptr<Submission>;
  void recall(const SubmissionPtr& submission);
  void replay(const Submission& submission, const Outcome::Existing& existing) const;
  void reserve(const SubmissionPtr& submission);
  [[nodiscard]] Status find_room(Submission& submission);
  void store(const SubmissionPtr& submission);
  [[nodiscard]] static std::vector<std::string> names_of(const Submission& submission);
  [[nodiscard]] Status store_inputs(const Submission& submission) const;
  [[nodiscard]] Status try_to_store_inputs(const Submission& submission) const;
  void admitted(const SubmissionPtr& submission, const Result<std::vector<Outcome>>& outcomes);
  void release(const Submission& submission);
  void remove_inputs(const Submission& submission) const;
  void accept(const Submission& submission, const JobId& job, HttpHeaders headers, std::string body) const;
  void answer_from_ledger(const JobId& job, ResponderPtr responder);
  void answer_cancel(const JobRecord& ended, const ResponderPtr& responder) const;
  /// Runs on the reader thread with the job as the ledger knows it; answers itself when there is none.
  void with_ledger_job(const JobId& job, ResponderPtr responder,
                       std::function<void(const JobRecord&, const ResponderPtr&)> use);

  Parts parts_;
  std::map<CircuitId, std::uint32_t> pins_;
  bool draining_ = false;
};

/// Sortable by time of admission: 12 hex digits of milliseconds, then random ones.
[[nodiscard]] JobId make_job_id(WallMillis now);

}  // namespace penstock::queue
