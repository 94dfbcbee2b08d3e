// PENSTOCK_HD marks what compiles for host and device alike.
#pragma once

#if defined(__CUDACC__)
#define PENSTOCK_HD __host__ __device__ __forceinline__
#define PENSTOCK_HD_LARGE __host__ __device__ __forceinline__
#define PENSTOCK_HD_CALL __host__ __device__
#else
#define PENSTOCK_HD inline __attribute__((always_inline))
#define PENSTOCK_HD_LARGE  // inlined on a device; on a host the compiler decides
#define PENSTOCK_HD_CALL   // the compiler decides everywhere
#endif
