// What went wrong, where, and what to do: one value used on the command line, in HTTP and on the wire.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

/// The single list of error codes. An enumerator's name is its label everywhere.
/// Adding one: append it here and in error_code_names; the parity test checks the wire's enum.
enum class ErrorCode : std::uint8_t {
  file_truncated,
  bad_magic,
  unsupported_version,
  unsupported_protocol,
  section_missing,
  section_duplicate,
  size_mismatch,
  count_out_of_range,
  index_out_of_range,
  bad_domain,
  wrong_prime,
  curve_mismatch,
  not_canonical,
  point_off_curve,
  point_not_in_subgroup,
  custom_gates,
  key_mismatch,
  insecure_key,
  witness_unsatisfied,
  signal_missing,
  signal_surplus,
  signal_value,
  assert_failed,
  time_limit,
  memory_limit,
  circuit_unknown,
  body_too_large,
  unauthorized,
  conflict,
  overloaded,
  draining,
  cancelled,
  deadline,
  device_unavailable,
  out_of_memory,
  proof_invalid,
  internal,
  file_unreadable,
  file_unwritable,
  bad_format,
  bad_request,
  not_found,
};

inline constexpr std::array<std::string_view, 42> error_code_names = {
    "file_truncated",
    "bad_magic",
    "unsupported_version",
    "unsupported_protocol",
    "section_missing",
    "section_duplicate",
    "size_mismatch",
    "count_out_of_range",
    "index_out_of_range",
    "bad_domain",
    "wrong_prime",
    "curve_mismatch",
    "not_canonical",
    "point_off_curve",
    "point_not_in_subgroup",
    "custom_gates",
    "key_mismatch",
    "insecure_key",
    "witness_unsatisfied",
    "signal_missing",
    "signal_surplus",
    "signal_value",
    "assert_failed",
    "time_limit",
    "memory_limit",
    "circuit_unknown",
    "body_too_large",
    "unauthorized",
    "conflict",
    "overloaded",
    "draining",
    "cancelled",
    "deadline",
    "device_unavailable",
    "out_of_memory",
    "proof_invalid",
    "internal",
    "file_unreadable",
    "file_unwritable",
    "bad_format",
    "bad_request",
    "not_found",
};
static_assert(error_code_names.size() == static_cast<std::size_t>(ErrorCode::not_found) + 1);

[[nodiscard]] constexpr std::string_view name(ErrorCode code) {
  return error_code_names[static_cast<std::size_t>(code)];
}
[[nodiscard]] std::optional<ErrorCode> error_code_from(std::string_view label);

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string what;                          ///< one sentence, no trailing full stop, never a secret
  std::string hint = {};                     ///< what to do about it; may be empty
  std::string file = {};                     ///< path or name of the input; may be empty
  std::optional<std::uint64_t> offset = {};  ///< byte offset in `file`

  /// The same error, attributed to a file unless it already names one.
  [[nodiscard]] Error in(std::string_view path) &&;
};

/// `error[CODE] FILE@OFFSET: what; hint`, on one line whatever the texts hold.
[[nodiscard]] std::string to_string(const Error& error);

/// The exit status of architecture.md: 1 refused or invalid, 2 usage, 3 internal.
[[nodiscard]] int exit_status(ErrorCode code);

}  // namespace penstock
