// A build without the CUDA toolkit: nothing to measure, with the reason.
#include "cuda/bench/device_bench.hpp"

namespace penstock::cuda {
namespace {

Error without_cuda() {
  return {ErrorCode::device_unavailable, "this build has no CUDA device",
          "use --device cpu, or build with -DPENSTOCK_CUDA=ON and a CUDA toolkit"};
}

}  // namespace

Result<std::vector<BenchTiming>> bench_field(const BenchRequest&) {
  return without_cuda();
}
Result<std::vector<BenchTiming>> bench_ntt(const BenchRequest&) {
  return without_cuda();
}
Result<std::vector<BenchTiming>> bench_msm_g1(const BenchRequest&) {
  return without_cuda();
}
Result<std::vector<BenchTiming>> bench_msm_g2(const BenchRequest&) {
  return without_cuda();
}

}  // namespace penstock::cuda
