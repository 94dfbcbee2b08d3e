#include "cuda/bench/device_fault.hpp"

namespace penstock::cuda {
namespace {

__global__ void write_to(int* nowhere) {
  *nowhere = 1;
}

}  // namespace

void provoke_fault(const Stream& stream) {
  constexpr std::uintptr_t unmapped = 64;
  write_to<<<1, 1, 0, stream.get()>>>(reinterpret_cast<int*>(unmapped));
  try {
    check_launch();
    stream.wait_until_idle();
  } catch (const CudaError& fault) {
    if (!fault.sticky()) throw;  // the kernel did not run
  }
}

}  // namespace penstock::cuda
