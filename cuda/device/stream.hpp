// RAII for streams and events. Ownership: move-only. Errors: CudaError on creation; destructors never throw.
#pragma once

#include <memory>

#include "cuda/device/cuda_error.hpp"

namespace penstock::cuda {

class Event {
 public:
  enum class Use { timing, ordering };
  explicit Event(Use use) {
    cudaEvent_t event = nullptr;
    PENSTOCK_CUDA_CHECK(
        cudaEventCreateWithFlags(&event, use == Use::timing ? cudaEventDefault : cudaEventDisableTiming));
    event_.reset(event);
  }
  [[nodiscard]] cudaEvent_t get() const { return event_.get(); }
  /// Blocks until the event has happened.
  void wait_until_reached() const { PENSTOCK_CUDA_CHECK(cudaEventSynchronize(get())); }
  /// Does not wait.
  [[nodiscard]] bool is_reached() const {
    const cudaError_t code = cudaEventQuery(get());
    if (code == cudaErrorNotReady) return false;
    PENSTOCK_CUDA_CHECK(code);
    return true;
  }
  /// REQUIRES both events reached, both made for timing.
  [[nodiscard]] float milliseconds_since(const Event& earlier) const {
    float elapsed = 0;
    PENSTOCK_CUDA_CHECK(cudaEventElapsedTime(&elapsed, earlier.get(), get()));
    return elapsed;
  }

 private:
  struct Destroy {
    void operator()(CUevent_st* event) const { static_cast<void>(cudaEventDestroy(event)); }
  };
  std::unique_ptr<CUevent_st, Destroy> event_;
};

class Stream {
 public:
  /// Blocks of an urgent stream's kernels come before those of the others, as soon as there is room.
  enum class Priority { normal, urgent };
  explicit Stream(Priority priority = Priority::normal) {
    int least = 0, greatest = 0;
    PENSTOCK_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t stream = nullptr;
    PENSTOCK_CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                                     priority == Priority::urgent ? greatest : least));
    stream_.reset(stream);
  }
  [[nodiscard]] cudaStream_t get() const { return stream_.get(); }
  void record(const Event& event) const { PENSTOCK_CUDA_CHECK(cudaEventRecord(event.get(), get())); }
  /// Enqueues: later work of this stream waits for the event. Does not synchronise.
  void wait_for(const Event& event) const { PENSTOCK_CUDA_CHECK(cudaStreamWaitEvent(get(), event.get(), 0)); }
  void wait_until_idle() const { PENSTOCK_CUDA_CHECK(cudaStreamSynchronize(get())); }

 private:
  struct Destroy {
    void operator()(CUstream_st* stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
  };
  std::unique_ptr<CUstream_st, Destroy> stream_;
};

}  // namespace penstock::cuda
