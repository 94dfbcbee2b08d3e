// What the queue knows about jobs, partitions and circuits: plain records shared by the ledger, the scheduler
// and the HTTP routes. Shape: values. A secret input is never part of a record; it lies in the blob store.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/ids.hpp"
#include "common/telemetry/phase_times.hpp"
#include "common/wire/messages.hpp"

namespace penstock::queue {

/// Time of day as the ledger stores it.
using WallMillis = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

enum class JobState : std::uint8_t { queued, running, done, failed, cancelled };
inline constexpr std::array<std::string_view, 5> job_state_names = {"queued", "running", "done", "failed",
                                                                    "cancelled"};
enum class PartitionState : std::uint8_t { queued, synthesis, staged, proving, done, failed, cancelled };
inline constexpr std::array<std::string_view, 7> partition_state_names = {
    "queued", "synthesis", "staged", "proving", "done", "failed", "cancelled"};
inline constexpr std::array<std::string_view, 4> priority_names = {"low", "normal", "high", "critical"};

[[nodiscard]] constexpr std::string_view name(JobState state) {
  return job_state_names[static_cast<std::size_t>(state)];
}
[[nodiscard]] constexpr std::string_view name(PartitionState state) {
  return partition_state_names[static_cast<std::size_t>(state)];
}
[[nodiscard]] constexpr std::string_view name(wire::Priority priority) {
  return priority_names[static_cast<std::size_t>(priority)];
}
[[nodiscard]] std::optional<JobState> job_state_from(std::string_view label);
[[nodiscard]] std::optional<PartitionState> partition_state_from(std::string_view label);
[[nodiscard]] std::optional<wire::Priority> priority_from(std::string_view label);

[[nodiscard]] constexpr bool is_finished(JobState state) {
  return state >= JobState::done;
}
[[nodiscard]] constexpr bool is_finished(PartitionState state) {
  return state >= PartitionState::done;
}

/// How a finished partition ended.
struct PartitionEnd {
  PartitionState state = PartitionState::done;    ///< done, failed or cancelled
  std::string proof_json = {}, public_json = {};  ///< done only
  std::string device = {};                        ///< done only
  std::optional<Error> error = {};                ///< failed or cancelled
};

struct PartitionRecord {
  std::uint32_t index = 0;
  wire::InputKind input_kind = wire::InputKind::json;
  PartitionState state = PartitionState::queued;
  std::uint32_t attempts = 0;  ///< started so far
  std::uint32_t failures = 0;  ///< attempts that ended in a retryable failure
  std::uint32_t losses = 0;    ///< attempts whose worker was lost
  telemetry::PhaseTimes phases = {};
  PartitionEnd end = {};  ///< meaningful when `state` is a finished one
};

struct JobRecord {
  std::uint64_t sequence = 0;  ///< order of admission, unique; given by the ledger
  JobId id;
  std::string circuit;  ///< the name it was submitted under
  CircuitId circuit_id;
  CurveId curve = CurveId::bn254;
  wire::Priority priority = wire::Priority::normal;
  JobState state = JobState::queued;
  WallMillis created{};
  std::optional<WallMillis> deadline, finished;
  std::vector<PartitionRecord> partitions;  ///< in the order of their index
};

struct CircuitRecord {
  wire::CircuitRef ref;
  WallMillis created{};
};

/// The one place that says which state a job with these partitions is in once all of them are finished.
[[nodiscard]] JobState finished_state(const std::vector<PartitionState>& partitions);

[[nodiscard]] WallMillis to_millis(WallTime time);
/// 2025-12-01T03:04:05.678Z
[[nodiscard]] std::string to_iso8601(WallMillis time);
/// Accepts exactly that form, with or without the fraction. nullopt otherwise.
[[nodiscard]] std::optional<WallMillis> from_iso8601(std::string_view text);

}  // namespace penstock::queue
