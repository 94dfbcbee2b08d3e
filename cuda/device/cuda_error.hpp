// Errors of the CUDA runtime. Expected ones (out of memory) become an Error; a lost device throws
// DeviceLost's cause. This folder is the only one with raw cuda* calls.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "common/base/error.hpp"

namespace penstock::cuda {

/// Any failed runtime call. `sticky` errors have destroyed the context: only a new process helps.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const char* call, const char* file, int line);
  [[nodiscard]] cudaError_t code() const { return code_; }
  [[nodiscard]] bool out_of_memory() const { return code_ == cudaErrorMemoryAllocation; }
  [[nodiscard]] bool sticky() const;
  /// out_of_memory or device_unavailable, with the call and the runtime's words.
  [[nodiscard]] Error to_error() const;

 private:
  cudaError_t code_;
};

/// Throws CudaError unless `code` is success.
void check(cudaError_t code, const char* call, const char* file, int line);

/// Throws CudaError when the last launch was refused (its geometry, no code for the architecture).
void check_launch(const char* file = __builtin_FILE(), int line = __builtin_LINE());

}  // namespace penstock::cuda

#define PENSTOCK_CUDA_CHECK(call) ::penstock::cuda::check((call), #call, __FILE__, __LINE__)
