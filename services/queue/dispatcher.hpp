// Carries out what the scheduler decides: ledger first, then messages, clients, files, metrics.
// Shape: pump() after anything that may have changed the scheduler's mind; it returns when nothing is left.
// Ownership: borrows everything. Threads: the loop's; inputs are read on the reader thread, wiped on the
//   janitor's. Errors: none surface; what cannot be sent goes back to the scheduler.
#pragma once

#include "common/telemetry/metrics.hpp"
#include "common/wire/message_loop.hpp"
#include "services/queue/background_thread.hpp"
#include "services/queue/blob_store.hpp"
#include "services/queue/input_wiper.hpp"
#include "services/queue/ledger_writer.hpp"
#include "services/queue/subscriptions.hpp"
#include "services/queue/worker_sessions.hpp"

namespace penstock::queue {

class Dispatcher {
 public:
  struct Parts {
    wire::MessageLoop& loop;
    Scheduler& scheduler;
    WorkerSessions& sessions;
    Subscriptions& subscriptions;
    LedgerWriter& writer;
    const BlobStore& blobs;
    BackgroundThread& reader;
    InputWiper& wiper;
    telemetry::Metrics& metrics;
    spdlog::logger& log;
  };
  explicit Dispatcher(const Parts& parts) : parts_(parts) {}

  void pump();
  /// The gauges, from the scheduler's state.
  void refresh_gauges();

 private:
  void persist(std::vector<Change> changes);
  void read_and_send(Assignment assignment);
  void send_task(const Assignment& assignment, std::vector<std::byte> input);
  void partition_touched(const PartitionTouched& touched);
  void job_touched(const JobRecord& job);

  Parts parts_;
};

/// A circuit's counters exist from its registration on, with value 0: a rate needs a beginning. Threads: any.
void expect_results(telemetry::Metrics& metrics, std::string_view circuit);

}  // namespace penstock::queue
