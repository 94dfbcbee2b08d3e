// Whether sums over many elements take the host's vector units: eight field elements at a time by AVX-512
// IFMA (lanes.hpp), or one at a time by product_path.hpp. The processor is asked once, when the program is
// loaded; tests and benchmarks choose themselves. Results are equal to the bit.
// Threads: select_lanes is not meant to race with arithmetic.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace penstock::algebra {

enum class LanePath : std::uint8_t { scalar, ifma };

inline constexpr std::array<std::string_view, 2> lane_path_names = {"scalar", "ifma"};

[[nodiscard]] constexpr std::string_view name(LanePath path) {
  return lane_path_names[static_cast<std::size_t>(path)];
}

/// The fastest path that this processor and this build have.
[[nodiscard]] LanePath best_lanes();

/// Makes every later sum take `path`, or best_lanes() when the processor lacks it.
void select_lanes(LanePath path);

namespace detail {
extern std::atomic<LanePath> lane_path __attribute__((visibility("hidden")));
}  // namespace detail

/// The path in use.
[[nodiscard]] inline LanePath active_lanes() {
  return detail::lane_path.load(std::memory_order_relaxed);
}

}  // namespace penstock::algebra
