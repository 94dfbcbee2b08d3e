// The single list of a partition's phases. Histograms, trace, log, job JSON, the Cap'n Proto enum and the
// dashboard's rows derive from it; a parity test fails otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace penstock {

enum class Phase : std::uint8_t {
  // queue
  admit,
  queue_wait,
  retry_wait,
  reply,
  // synthesis
  compile,
  witness,
  r1cs_check,
  pack,
  slab_wait,
  stage,
  // gpu
  circuit_wait,
  lane_wait,
  h2d,
  device_wait,
  decode,
  spmv,
  ntt,
  digits,
  msm_h,
  msm_c,
  msm_a,
  msm_b1,
  msm_b2,
  d2h,
  finish,
  verify,
  result,
};

inline constexpr std::array<std::string_view, 27> phase_names = {
    "admit",  "queue_wait", "retry_wait", "reply",        "compile",   "witness", "r1cs_check",
    "pack",   "slab_wait",  "stage",      "circuit_wait", "lane_wait", "h2d",     "device_wait",
    "decode", "spmv",       "ntt",        "digits",       "msm_h",     "msm_c",   "msm_a",
    "msm_b1", "msm_b2",     "d2h",        "finish",       "verify",    "result",
};
inline constexpr std::size_t phase_count = phase_names.size();
static_assert(phase_count == static_cast<std::size_t>(Phase::result) + 1);

[[nodiscard]] constexpr std::string_view name(Phase phase) {
  return phase_names[static_cast<std::size_t>(phase)];
}
[[nodiscard]] constexpr std::optional<Phase> phase_from(std::string_view label) {
  for (std::size_t i = 0; i < phase_count; ++i)
    if (phase_names[i] == label) return static_cast<Phase>(i);
  return std::nullopt;
}

}  // namespace penstock
