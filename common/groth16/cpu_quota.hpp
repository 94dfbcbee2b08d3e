// How many threads may this process keep busy: the affinity mask, narrowed by the cgroup's CPU quota (v1 and
// v2). Errors: none; what cannot be read does not limit. At least 1.
#pragma once

#include <optional>
#include <string_view>

namespace penstock::groth16 {

[[nodiscard]] int available_cores();

/// The whole cores in a cgroup v2 `cpu.max` text ("200000 100000" -> 2, rounded up); nothing for "max ...".
[[nodiscard]] std::optional<int> cores_from_cpu_max(std::string_view text);

}  // namespace penstock::groth16
