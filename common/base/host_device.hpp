// PENSTOCK_HD marks what compiles for host and device alike.
#pragma once

#if defined(__CUDACC__)
#define PENSTOCK_HD __host__ __device__ __forceinline__
#else
#define PENSTOCK_HD inline __attribute__((always_inline))
#endif
