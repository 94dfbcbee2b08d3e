// A client's job as it arrives: the parts of POST /v1/jobs, understood and checked.
// Shape: inputs are views into the body, secrets; the caller keeps the body alive and wipes it.
// Errors: bad_request (an unknown member or part: nothing is accepted and ignored), deadline (already past),
//   and for inputs: bad_format, the codes of a .wtns, curve_mismatch, size_mismatch.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "services/queue/ledger.hpp"
#include "services/queue/multipart.hpp"

namespace penstock::queue {

struct JobInput {
  wire::InputKind kind = wire::InputKind::json;
  std::string_view content;
};

struct JobRequest {
  std::string circuit;
  wire::Priority priority = wire::Priority::normal;
  std::optional<WallMillis> deadline;
  std::string document;  ///< the `job` part in canonical form, for the idempotency mark
  std::vector<JobInput> inputs;
};

[[nodiscard]] Result<JobRequest> parse_job_request(std::span<const Part> parts, WallMillis now);

/// Apart from the parsing: a request that was accepted once stays well-formed when its deadline has passed.
[[nodiscard]] Status check_deadline(const JobRequest& request, WallMillis now);

/// Checks that need the circuit and the whole input: JSON is JSON, a witness is one of this circuit. Linear
/// in the inputs' size: not for an HTTP thread.
[[nodiscard]] Status check_inputs(const JobRequest& request, const wire::CircuitRef& circuit);

/// REQUIRES a key accepted by is_idempotency_key().
[[nodiscard]] IdempotencyMark mark_of(std::string_view key, const JobRequest& request);
/// 1..255 printable ASCII characters.
[[nodiscard]] bool is_idempotency_key(std::string_view key);

/// "250ms", "90s", "5m", "2h" or a plain number of seconds. nullopt otherwise, also when negative or absurd.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace penstock::queue
