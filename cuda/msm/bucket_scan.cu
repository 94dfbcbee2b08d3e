#include <cub/device/device_scan.cuh>

#include "cuda/msm/batch_affine.hpp"

namespace penstock::msm {
namespace {

__global__ void halves(const std::uint32_t* first, const std::uint32_t* end, std::uint32_t buckets,
                       std::uint32_t* half) {
  const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b < buckets) half[b] = (end[b] - first[b] + 1) / 2;
}

}  // namespace

std::size_t scan_scratch_bytes(std::uint32_t buckets) {
  std::size_t bytes = 0;
  PENSTOCK_CUDA_CHECK(
      cub::DeviceScan::ExclusiveSum(nullptr, bytes, static_cast<const std::uint32_t*>(nullptr),
                                    static_cast<std::uint32_t*>(nullptr), static_cast<int>(buckets)));
  return bytes;
}

void scan_halves(const cuda::Stream& stream, const std::uint32_t* first, const std::uint32_t* end,
                 std::uint32_t buckets, std::uint32_t* next_first, std::byte* scratch,
                 std::size_t scratch_bytes) {
  halves<<<(buckets + 255) / 256, 256, 0, stream.get()>>>(first, end, buckets, next_first);
  PENSTOCK_CUDA_CHECK(cudaGetLastError());
  PENSTOCK_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(scratch, scratch_bytes, next_first, next_first,
                                                    static_cast<int>(buckets), stream.get()));
}

}  // namespace penstock::msm
