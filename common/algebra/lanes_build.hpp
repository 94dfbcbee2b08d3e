// Which builds have lanes.hpp: g++ on x86-64 with optimisation (clang 14 lacks its unrolling pragma). Every
// function that uses lanes names its target, so that no other function is compiled for AVX-512.
#pragma once

#if defined(__x86_64__) && defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__CUDACC__)
#define PENSTOCK_LANES 1
/// A function that runs only when active_lanes() is LanePath::ifma.
#define PENSTOCK_LANE_CODE [[gnu::target("avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]]
/// A piece of such functions.
#define PENSTOCK_LANE_CALL \
  [[gnu::always_inline, gnu::target("avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]] static inline
#else
#define PENSTOCK_LANES 0
#endif
