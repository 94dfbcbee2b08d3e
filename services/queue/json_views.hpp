// What clients see: records as JSON text. Proofs and publics are embedded as they came (checked to be JSON
// when they arrived), so that a job of a thousand partitions is not parsed to be printed. Threads: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "services/queue/ledger.hpp"
#include "services/queue/scheduler.hpp"

namespace penstock::queue {

/// A JSON string with its quotes; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string json_string(std::string_view text);

[[nodiscard]] std::string job_json(const JobRecord& job);
[[nodiscard]] std::string partition_json(const PartitionRecord& partition);
/// The data of the SSE events `partition` and `job` (which leaves the partitions to their own events).
[[nodiscard]] std::string partition_event_json(const JobId& job, const PartitionRecord& partition);
[[nodiscard]] std::string job_event_json(const JobRecord& job);
[[nodiscard]] std::string job_list_json(const std::vector<JobSummary>& jobs);
[[nodiscard]] std::string circuit_json(const CircuitRecord& circuit, std::string_view verification_key = {});
[[nodiscard]] std::string circuit_list_json(const std::vector<CircuitRecord>& circuits);
/// {"code", "message", "hint"} and, where known, "file" and "offset".
[[nodiscard]] std::string error_json(const Error& error);

struct QueueFacts {
  std::string name, version, incarnation;
  bool draining = false;
  double uptime_seconds = 0;
  std::size_t circuits = 0;
};
[[nodiscard]] std::string status_json(const QueueFacts& queue, const SchedulerStatus& status,
                                      const WorkerPool& workers, SteadyTime now);

}  // namespace penstock::queue
