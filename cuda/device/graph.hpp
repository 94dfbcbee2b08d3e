// A captured sequence of launches, replayed as one. Ownership: move-only. Errors: CudaError.
#pragma once

#include <memory>

#include "cuda/device/stream.hpp"

namespace penstock::cuda {

class Graph {
 public:
  /// Captures what `enqueue()` puts on the stream; nothing runs. `enqueue` must not wait or allocate.
  template <class Enqueue>
  Graph(const Stream& stream, Enqueue enqueue) {
    PENSTOCK_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    enqueue();
    cudaGraph_t graph = nullptr;
    PENSTOCK_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
    cudaGraphExec_t executable = nullptr;
    const cudaError_t code = cudaGraphInstantiate(&executable, graph, 0);
    static_cast<void>(cudaGraphDestroy(graph));
    PENSTOCK_CUDA_CHECK(code);
    executable_.reset(executable);
  }
  /// Enqueues the whole sequence. Does not synchronise.
  void launch(const Stream& stream) const {
    PENSTOCK_CUDA_CHECK(cudaGraphLaunch(executable_.get(), stream.get()));
  }

 private:
  struct Destroy {
    void operator()(CUgraphExec_st* graph) const { static_cast<void>(cudaGraphExecDestroy(graph)); }
  };
  std::unique_ptr<CUgraphExec_st, Destroy> executable_;
};

}  // namespace penstock::cuda
