// PENSTOCK_HD marks what compiles for host and device alike.
#pragma once

#if defined(__CUDACC__)
#define PENSTOCK_HD __host__ __device__ __forceinline__
#define PENSTOCK_HD_CALL __host__ __device__
#else
#define PENSTOCK_HD inline __attribute__((always_inline))
#define PENSTOCK_HD_CALL  // large bodies: the compiler decides whether to inline
#endif
