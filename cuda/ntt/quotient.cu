#include "cuda/ntt/quotient.hpp"

#include "common/algebra/bls12_381.hpp"
#include "common/algebra/bn254.hpp"

namespace penstock::ntt {
namespace {

constexpr int threads = 256;

unsigned blocks(std::uint64_t n) {
  return static_cast<unsigned>((n + threads - 1) / threads);
}
__device__ std::uint64_t element() {
  return blockIdx.x * static_cast<std::uint64_t>(threads) + threadIdx.x;
}

template <class Fr>
__global__ void multiply_kernel(const Fr* a, const Fr* b, Fr* c, std::uint64_t n) {
  if (const std::uint64_t i = element(); i < n) c[i] = a[i] * b[i];
}

template <class Fr>
__global__ void quotient_kernel(Fr* a, const Fr* b, const Fr* c, std::uint64_t n, Fr size, Fr to_plain) {
  if (const std::uint64_t i = element(); i < n) a[i] = (a[i] * b[i] - size * c[i]) * to_plain;
}

template <class Fr>
__global__ void montgomery_kernel(Fr* values, std::uint64_t n) {
  if (const std::uint64_t i = element(); i < n) values[i] = Fr::from_limbs(values[i].montgomery_limbs());
}

}  // namespace

template <class Fr>
void multiply_pointwise(const cuda::Stream& stream, const Fr* a, const Fr* b, Fr* c, std::uint64_t n) {
  multiply_kernel<<<blocks(n), threads, 0, stream.get()>>>(a, b, c, n);
  cuda::check_launch();
}

template <class Fr>
void quotient_scalars(const cuda::Stream& stream, Fr* a, const Fr* b, const Fr* c, std::uint64_t n) {
  const Fr size = Fr::from_u64(n);
  // A plain integer taken for a residue: the product divides by n² and leaves Montgomery form at once.
  const Fr to_plain = Fr::from_montgomery(size.square().inverse().to_limbs());
  quotient_kernel<<<blocks(n), threads, 0, stream.get()>>>(a, b, c, n, size, to_plain);
  cuda::check_launch();
}

template <class Fr>
void to_montgomery(const cuda::Stream& stream, Fr* values, std::uint64_t n) {
  if (n == 0) return;
  montgomery_kernel<<<blocks(n), threads, 0, stream.get()>>>(values, n);
  cuda::check_launch();
}

#define PENSTOCK_QUOTIENT_INSTANCES(Fr)                                                                \
  template void multiply_pointwise<Fr>(const cuda::Stream&, const Fr*, const Fr*, Fr*, std::uint64_t); \
  template void quotient_scalars<Fr>(const cuda::Stream&, Fr*, const Fr*, const Fr*, std::uint64_t);   \
  template void to_montgomery<Fr>(const cuda::Stream&, Fr*, std::uint64_t)
PENSTOCK_QUOTIENT_INSTANCES(algebra::Bn254::Fr);
PENSTOCK_QUOTIENT_INSTANCES(algebra::Bls12_381::Fr);

}  // namespace penstock::ntt
