#include "cuda/witness/check_witness.hpp"

namespace penstock::witness {
namespace {

struct Modulus {
  std::uint64_t limb[4];
};

__global__ void values_kernel(const msm::Scalar* values, std::uint64_t n, Modulus modulus,
                              std::uint32_t* verdict) {
  const std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  for (int k = 3; k >= 0; --k) {
    const std::uint64_t limb = values[i].limb[k];
    if (limb < modulus.limb[k]) return;
    if (limb > modulus.limb[k]) break;
  }
  atomicOr(verdict, value_not_canonical);  // above the modulus, or equal to it in every limb
}

/// Below narrow_below, or the negative of such a value. A value that is not canonical is never narrow: its
/// digits are not few.
__device__ bool is_narrow(const std::uint64_t (&value)[4], const Modulus& modulus) {
  if ((value[1] | value[2] | value[3]) == 0) return value[0] < msm::narrow_below;
  const bool only_the_lowest_differs =
      value[3] == modulus.limb[3] && value[2] == modulus.limb[2] && value[1] == modulus.limb[1];
  return only_the_lowest_differs && value[0] < modulus.limb[0] &&
         modulus.limb[0] - value[0] < msm::narrow_below;
}

__global__ void wide_kernel(const msm::Scalar* values, std::uint64_t n, Modulus modulus,
                            std::uint32_t* wide) {
  const std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  bool is_wide = false;
  if (i < n) {
    std::uint64_t value[4];
    for (int k = 0; k < 4; ++k) value[k] = values[i].limb[k];
    is_wide = !is_narrow(value, modulus);
  }
  const int found = __syncthreads_count(is_wide);
  if (threadIdx.x == 0 && found > 0) atomicAdd(wide, static_cast<std::uint32_t>(found));
}

__global__ void first_wire_kernel(const msm::Scalar* values, std::uint32_t* verdict) {
  const std::uint64_t* limb = values[0].limb;
  if (limb[0] != 1 || (limb[1] | limb[2] | limb[3]) != 0) atomicOr(verdict, first_wire_not_one);
}

}  // namespace

void check_values(const cuda::Stream& stream, const msm::Scalar* values, std::uint64_t n,
                  const std::uint64_t (&modulus)[4], std::uint32_t* verdict) {
  if (n == 0) return;
  const Modulus limit = {{modulus[0], modulus[1], modulus[2], modulus[3]}};
  values_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream.get()>>>(values, n, limit, verdict);
  cuda::check_launch();
}

void count_wide(const cuda::Stream& stream, const msm::Scalar* values, std::uint64_t n,
                const std::uint64_t (&modulus)[4], std::uint32_t* wide) {
  if (n == 0) return;
  const Modulus limit = {{modulus[0], modulus[1], modulus[2], modulus[3]}};
  wide_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream.get()>>>(values, n, limit, wide);
  cuda::check_launch();
}

void check_first_wire(const cuda::Stream& stream, const msm::Scalar* values, std::uint32_t* verdict) {
  first_wire_kernel<<<1, 1, 0, stream.get()>>>(values, verdict);
  cuda::check_launch();
}

}  // namespace penstock::witness
