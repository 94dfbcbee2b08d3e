// Device memory under one budget. A DeviceHeap counts what is used and what was used at most; a DeviceBuffer
// owns a range. Ownership: buffers are move-only and die before their heap. Threads: any. Errors:
// CudaError(out of memory) when the budget or the device is exhausted; nothing is left behind. Cost: an
// allocation is a cudaMalloc: done at load and at lane start, never in the steady state.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "cuda/device/stream.hpp"

namespace penstock::cuda {

class DeviceHeap {
 public:
  explicit DeviceHeap(std::uint64_t budget_bytes) : budget_(budget_bytes) {}
  [[nodiscard]] void* allocate(std::uint64_t bytes);
  void release(void* pointer, std::uint64_t bytes) noexcept;

  [[nodiscard]] std::uint64_t budget_bytes() const { return budget_; }
  [[nodiscard]] std::uint64_t used_bytes() const { return used_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_.load(std::memory_order_relaxed); }
  /// For tests: the k-th allocation from now fails (0: the next), as if memory had run out.
  void fail_allocation_after(std::int64_t allocations) { failing_in_.store(allocations); }
  [[nodiscard]] bool failure_is_to_come() const { return failing_in_.load() >= 0; }

 private:
  std::uint64_t budget_;
  std::atomic<std::uint64_t> used_{0}, peak_{0};
  std::atomic<std::int64_t> failing_in_{-1};
};

template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceHeap& heap, std::size_t size)
      : heap_(&heap), data_(static_cast<T*>(heap.allocate(size * sizeof(T)))), size_(size) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) heap_->release(data_, size_ * sizeof(T));
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_ * sizeof(T); }
  void swap(DeviceBuffer& other) noexcept {
    std::swap(heap_, other.heap_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  DeviceHeap* heap_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Enqueue copies on the stream; do not synchronise. The host range must stay alive and, to overlap, be
/// pinned.
void copy_to_device(const Stream& stream, void* device, const void* host, std::uint64_t bytes);
void copy_to_host(const Stream& stream, void* host, const void* device, std::uint64_t bytes);
void fill_zero(const Stream& stream, void* device, std::uint64_t bytes);

/// Host memory that the device reads at full speed: either our own pages (PinnedBuffer) or somebody's,
/// registered.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t size) : size_(size) {
    void* data = nullptr;
    PENSTOCK_CUDA_CHECK(cudaHostAlloc(&data, size * sizeof(T), cudaHostAllocDefault));
    data_ = static_cast<T*>(data);
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PinnedBuffer() {
    if (data_ != nullptr) static_cast<void>(cudaFreeHost(data_));
  }
  [[nodiscard]] std::span<T> span() const { return {data_, size_}; }
  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

class PinnedRegistration {
 public:
  explicit PinnedRegistration(std::span<std::byte> memory);
  PinnedRegistration(PinnedRegistration&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)) {}
  PinnedRegistration& operator=(PinnedRegistration&&) = delete;
  ~PinnedRegistration();

 private:
  void* address_;
};

}  // namespace penstock::cuda
