#include "cuda/device/device_memory.hpp"

#include <algorithm>

namespace penstock::cuda {

void* DeviceHeap::allocate(std::uint64_t bytes) {
  if (failing_in_.load(std::memory_order_relaxed) >= 0 && failing_in_.fetch_sub(1) == 0)
    throw CudaError(cudaErrorMemoryAllocation, "DeviceHeap::allocate (injected)", __FILE__, __LINE__);
  if (bytes == 0) return nullptr;
  const std::uint64_t now = used_.fetch_add(bytes) + bytes;
  try {
    if (now > budget_)
      throw CudaError(cudaErrorMemoryAllocation, "DeviceHeap::allocate (budget)", __FILE__, __LINE__);
    void* pointer = nullptr;
    PENSTOCK_CUDA_CHECK(cudaMalloc(&pointer, bytes));
    std::uint64_t peak = peak_.load();
    while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
    }
    return pointer;
  } catch (...) {
    used_.fetch_sub(bytes);
    throw;
  }
}

void DeviceHeap::release(void* pointer, std::uint64_t bytes) noexcept {
  static_cast<void>(cudaFree(pointer));
  used_.fetch_sub(bytes);
}

void copy_to_device(const Stream& stream, void* device, const void* host, std::uint64_t bytes) {
  if (bytes != 0)
    PENSTOCK_CUDA_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream.get()));
}

void copy_to_host(const Stream& stream, void* host, const void* device, std::uint64_t bytes) {
  if (bytes != 0)
    PENSTOCK_CUDA_CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream.get()));
}

void fill_zero(const Stream& stream, void* device, std::uint64_t bytes) {
  if (bytes != 0) PENSTOCK_CUDA_CHECK(cudaMemsetAsync(device, 0, bytes, stream.get()));
}

PinnedRegistration::PinnedRegistration(std::span<std::byte> memory) : address_(memory.data()) {
  PENSTOCK_CUDA_CHECK(cudaHostRegister(address_, memory.size(), cudaHostRegisterDefault));
}

PinnedRegistration::~PinnedRegistration() {
  if (address_ != nullptr) static_cast<void>(cudaHostUnregister(address_));
}

}  // namespace penstock::cuda
