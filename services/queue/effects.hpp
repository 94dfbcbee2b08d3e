// What the scheduler wants done by others, collected while it decides. The service carries them out: changes
// go to the ledger, messages to workers, events to clients. Shape: values, in the order they arose.
#pragma once

#include <string>
#include <vector>

#include "services/queue/ledger.hpp"
#include "services/queue/worker_pool.hpp"

namespace penstock::queue {

/// One partition to be synthesised: becomes a wire::SynthesisTask once its input is read.
struct Assignment {
  wire::PartitionRef partition;
  wire::CircuitRef circuit;
  wire::InputKind input_kind = wire::InputKind::json;
  wire::Priority priority = wire::Priority::normal;
  std::optional<std::chrono::milliseconds> deadline_in;
  Peer synthesis;
  wire::GpuRoute gpu;
};

/// A partition's message to one worker: a cancellation or an acknowledgement.
struct Notice {
  Peer peer;
  wire::PartitionRef partition;
};

/// A partition whose visible state has changed: what SSE clients are told.
struct PartitionTouched {
  JobId job;
  std::string circuit;
  CurveId curve = CurveId::bn254;
  PartitionRecord partition;
};

struct Retried {
  std::string reason;  ///< bounded: an error code's name, "worker_lost", "worker_left" or "lease_expired"
};

struct Effects {
  std::vector<Change> changes;
  std::vector<Assignment> assignments;
  std::vector<Notice> cancellations;
  std::vector<Notice> acknowledgements;
  std::vector<PartitionTouched> partitions;
  std::vector<JobRecord> jobs;  ///< whose state has changed, whole
  std::vector<Peer> lost;       ///< silent workers that were dropped
  std::vector<Retried> retries;
};

}  // namespace penstock::queue
