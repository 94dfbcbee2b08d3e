// What the packed witness asks of 64 wires at once: one bit a wire, by eight wires at a time where the
// processor has AVX-512 (algebra/lanes_path.hpp). Ownership: the caller's bytes. Threads: any. Errors: none.
// Cost: about 2 instructions a wire in lanes, 25 one by one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/algebra/lanes_build.hpp"

namespace penstock::circuit::packed {

/// Bit i: wire i. `above_*` look at the lowest 64 bits only.
struct WireTests {
  std::uint64_t odd = 0, not_bit = 0, full_width = 0;
  std::uint64_t above_32 = 0, above_16 = 0, above_8 = 0;
};

#if PENSTOCK_LANES
/// 64 whole wires of 32 bytes. REQUIRES active_lanes() == LanePath::ifma.
PENSTOCK_LANE_CODE WireTests test_wires_in_lanes(const std::byte* wires);
#endif

}  // namespace penstock::circuit::packed
