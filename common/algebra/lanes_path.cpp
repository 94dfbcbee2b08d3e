#include "common/algebra/lanes_path.hpp"

#include "common/algebra/lanes_build.hpp"

namespace penstock::algebra {
namespace {

bool processor_has_ifma() {
#if PENSTOCK_LANES
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512ifma") != 0 &&
         __builtin_cpu_supports("avx512vbmi2") != 0;
#else
  return false;
#endif
}

}  // namespace

namespace detail {
std::atomic<LanePath> lane_path{LanePath::scalar};
}

LanePath best_lanes() {
  static const bool has_ifma = processor_has_ifma();
  return has_ifma ? LanePath::ifma : LanePath::scalar;
}

void select_lanes(LanePath path) {
  detail::lane_path.store(path == LanePath::ifma ? best_lanes() : path, std::memory_order_relaxed);
}

namespace {
[[maybe_unused]] const bool selected_at_load = (select_lanes(LanePath::ifma), true);
}

}  // namespace penstock::algebra
