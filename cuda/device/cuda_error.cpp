#include "cuda/device/cuda_error.hpp"

namespace penstock::cuda {
namespace {

std::string describe(cudaError_t code, const char* call, const char* file, int line) {
  return std::string(cudaGetErrorName(code)) + " (" + cudaGetErrorString(code) + ") from " + call + " at " +
         file + ":" + std::to_string(line);
}

}  // namespace

CudaError::CudaError(cudaError_t code, const char* call, const char* file, int line)
    : std::runtime_error(describe(code, call, file, line)), code_(code) {}

bool CudaError::sticky() const {
  switch (code_) {
    case cudaErrorMemoryAllocation:
    case cudaErrorInvalidValue:
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorNoKernelImageForDevice:
      return false;
    default:
      return true;
  }
}

Error CudaError::to_error() const {
  if (out_of_memory())
    return {ErrorCode::out_of_memory, what(),
            "free device memory, evict a circuit or lower the number of lanes"};
  if (code_ == cudaErrorNoKernelImageForDevice)
    return {ErrorCode::device_unavailable, "this build has no code for the device's architecture",
            "build with -DCMAKE_CUDA_ARCHITECTURES for it, or use --device cpu"};
  return {ErrorCode::device_unavailable, what(), "see penstock doctor; --device cpu proves without a GPU"};
}

void check(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  static_cast<void>(
      cudaGetLastError());  // clears a non-sticky error, so that the next check does not see it again
  throw CudaError(code, call, file, line);
}

void check_launch(const char* file, int line) {
  check(cudaGetLastError(), "a kernel launch", file, line);
}

}  // namespace penstock::cuda
