// Every message between the services, as plain structs. schemas/*.capnp hold their wire form, codec.hpp maps
// the two. Conversations (schemas/README.md draws them):
//   control  worker -> queue: Hello, Heartbeat, Goodbye;  queue -> worker: Welcome, Heartbeat, Refused,
//   CircuitOffer,
//            CircuitWithdrawn, CancelPartition, Drain
//   task     queue -> synthesis: SynthesisTask;  synthesis -> queue: PartitionProgress, PartitionStaged,
//   PartitionFailed staging  synthesis -> gpu: StageRequest, StageCommit, StageAbandon;  gpu -> synthesis:
//   StageGrant, StageAccepted,
//            StageRefused;  remote: StageChunk one way, StageCredit the other
//   result   gpu -> queue: PartitionProgress, PartitionProved, PartitionFailed;  queue -> gpu:
//   ResultCommitted. The same between gpu and a worker whose request said ResultTo::worker, and
//   CancelPartition from it
// Rule: every message about a partition carries its PartitionRef; a late success is used, a late failure of
// an older
//   token is ignored. Delivery is at least once: receivers are idempotent.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/base/error.hpp"
#include "common/base/ids.hpp"
#include "common/telemetry/phase_times.hpp"

namespace penstock::wire {

/// The wire's version: a worker of another major version is refused.
inline constexpr std::uint32_t protocol_version = 1;

enum class WorkerKind : std::uint8_t { synthesis, gpu };
enum class Priority : std::uint8_t { low, normal, high, critical };
enum class PartitionKind : std::uint8_t { witness, evaluated };
enum class Encoding : std::uint8_t { raw, packed };
/// Who gets the result and confirms it: the queue that gave the task, or the worker itself.
enum class ResultTo : std::uint8_t { queue, worker };

/// One attempt at one partition of one job.
struct PartitionRef {
  JobId job;
  std::uint32_t index = 0;
  std::uint32_t attempt = 0;
  FencingToken token{};
};

/// A registered circuit. Its files lie below the service's own circuits folder, in <id>/: key.zkey,
/// verification_key.json and, where has_* says so, program.wasm, constraints.r1cs, symbols.sym.
struct CircuitRef {
  CircuitId id;
  std::string name;
  CurveId curve = CurveId::bn254;
  bool has_wasm = false, has_r1cs = false, has_sym = false;
  bool insecure_dev = false;
  std::uint32_t variables = 0, publics = 0, domain_size = 0;
};

// ---- control ----
struct Hello {
  std::uint32_t protocol = protocol_version;
  WorkerKind kind = WorkerKind::synthesis;
  WorkerName name;
  Incarnation incarnation;
  std::string version;
  std::int64_t pid = 0;
  std::string host_id;          ///< equal on one host (boot id): decides whether an arena is reachable
  std::uint32_t credits = 0;    ///< partitions it takes at once
  std::string metrics_address;  ///< host:port
  // gpu only:
  std::vector<std::string> data_endpoints;  ///< zmq addresses for staging, best first (ipc, tcp)
  std::string device;                       ///< "cpu" | "cuda:N"
  std::uint64_t arena_bytes = 0;
  bool allow_insecure_keys = false;
  std::string curve_key;  ///< public, Z85; empty: its sockets are plain
};
struct Welcome {
  Incarnation queue;
  std::chrono::milliseconds heartbeat_interval{1000};
  std::chrono::milliseconds heartbeat_timeout{5000};
  std::vector<CircuitRef> circuits;
};
struct Heartbeat {
  Incarnation incarnation;
  std::uint32_t credits_free = 0;
  std::vector<PartitionRef>
      in_flight;  ///< what it holds; the queue re-leases what it should hold and does not
};
struct Goodbye {
  Incarnation incarnation;
};
struct Refused {
  Error error;
};
struct CircuitOffer {
  CircuitRef circuit;
  bool preload = false;
};
struct CircuitWithdrawn {
  CircuitId circuit;
  bool remove = false;  ///< false: evict from the device only
};
struct CancelPartition {
  PartitionRef partition;
};
struct Drain {};

// ---- task ----
struct GpuRoute {
  WorkerName name;
  Incarnation incarnation;
  std::vector<std::string> data_endpoints;
  std::string host_id;
  std::string curve_key;  ///< as in its Hello
};
enum class InputKind : std::uint8_t { json, wtns };
struct SynthesisTask {
  PartitionRef partition;
  CircuitRef circuit;
  InputKind input_kind = InputKind::json;
  std::vector<std::byte> input;  ///< secret
  Priority priority = Priority::normal;
  std::optional<std::chrono::milliseconds> deadline_in;
  GpuRoute gpu;
};
enum class PartitionStage : std::uint8_t { compiling, synthesis, staging, staged, proving };
struct PartitionProgress {
  PartitionRef partition;
  PartitionStage stage = PartitionStage::synthesis;
};
/// The slab is committed and accepted; the synthesis worker's credit is free again.
struct PartitionStaged {
  PartitionRef partition;
  Incarnation gpu;
  telemetry::PhaseTimes phases;
};
struct PartitionFailed {
  PartitionRef partition;
  Error error;
  bool retryable = false;  ///< the input is not to blame
  telemetry::PhaseTimes phases;
};

// ---- staging ----
struct StageRequest {
  PartitionRef partition;
  CircuitId circuit;
  WorkerName worker;
  Incarnation worker_incarnation;
  std::string host_id;
  PartitionKind kind = PartitionKind::witness;
  Encoding encoding = Encoding::packed;
  std::uint64_t size_bytes = 0;  ///< the slab wanted: an upper bound of what will be written
  Priority priority = Priority::normal;
  bool remote = false;  ///< the worker cannot reach the arena
  ResultTo result_to = ResultTo::queue;
};
struct StageGrant {
  PartitionRef partition;
  std::uint64_t lease = 0;
  FencingToken slab_token{};
  std::string arena_path;                    ///< same host: map this file ...
  std::uint64_t offset = 0, size_bytes = 0;  ///< ... and write here
  std::chrono::milliseconds valid_for{0};
  std::uint32_t chunk_bytes = 0;     ///< remote: send the partition in pieces of this size ...
  std::uint32_t chunk_credits = 0;   ///< ... of which so many may be unanswered ...
  std::uint64_t received_bytes = 0;  ///< ... from here on
};
/// One piece of a remote partition; its bytes travel in a frame of their own behind it.
struct StageChunk {
  PartitionRef partition;
  std::uint64_t lease = 0;
  FencingToken slab_token{};
  std::uint64_t offset = 0;
  std::uint64_t checksum = 0;
};
/// Everything below `received_bytes` is in the slab.
struct StageCredit {
  PartitionRef partition;
  std::uint64_t lease = 0;
  std::uint64_t received_bytes = 0;
  bool rewind = false;  ///< a chunk was lost or spoiled: go on from received_bytes
};
struct StageCommit {
  PartitionRef partition;
  std::uint64_t lease = 0;
  FencingToken slab_token{};
  std::uint64_t used_bytes = 0;
  std::uint64_t digest = 0;      ///< 0: not given
  telemetry::PhaseTimes phases;  ///< of synthesis
};
struct StageAbandon {
  PartitionRef partition;
  std::uint64_t lease = 0;
};
struct StageAccepted {
  PartitionRef partition;
  std::uint64_t lease = 0;
};
struct StageRefused {
  PartitionRef partition;
  Error error;
  bool retryable = false;
};

// ---- result ----
struct PartitionProved {
  PartitionRef partition;
  std::string proof_json, public_json;
  std::string device;
  telemetry::PhaseTimes phases;  ///< synthesis and gpu
};
struct ResultCommitted {
  PartitionRef partition;
};

using Message =
    std::variant<Hello, Welcome, Heartbeat, Goodbye, Refused, CircuitOffer, CircuitWithdrawn, CancelPartition,
                 Drain, SynthesisTask, PartitionProgress, PartitionStaged, PartitionFailed, StageRequest,
                 StageGrant, StageCommit, StageAbandon, StageAccepted, StageRefused, PartitionProved,
                 ResultCommitted, StageChunk, StageCredit>;

}  // namespace penstock::wire
