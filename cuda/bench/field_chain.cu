#include "cuda/bench/field_chain.hpp"

#include "common/algebra/bls12_381.hpp"
#include "common/algebra/bn254.hpp"

namespace penstock::cuda {
namespace {

constexpr int threads = 128;

template <bool squares, class F>
__global__ void __launch_bounds__(threads) chain_kernel(F* values, std::uint64_t n) {
  const std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(threads) + threadIdx.x;
  if (i >= n) return;
  F value = values[i];
  const F factor = value;
#pragma unroll 1
  for (int k = 0; k < chain_length; ++k) value = squares ? value.square() : value * factor;
  values[i] = value;
}

unsigned blocks(std::uint64_t n) {
  return static_cast<unsigned>((n + threads - 1) / threads);
}

}  // namespace

template <class F>
void enqueue_products(const Stream& stream, F* values, std::uint64_t n) {
  chain_kernel<false, F><<<blocks(n), threads, 0, stream.get()>>>(values, n);
  check_launch();
}
template <class F>
void enqueue_squares(const Stream& stream, F* values, std::uint64_t n) {
  chain_kernel<true, F><<<blocks(n), threads, 0, stream.get()>>>(values, n);
  check_launch();
}

#define PENSTOCK_CHAIN_INSTANCES(F)                                    \
  template void enqueue_products<F>(const Stream&, F*, std::uint64_t); \
  template void enqueue_squares<F>(const Stream&, F*, std::uint64_t)
PENSTOCK_CHAIN_INSTANCES(algebra::Bn254::Fp);
PENSTOCK_CHAIN_INSTANCES(algebra::Bn254::Fr);
PENSTOCK_CHAIN_INSTANCES(algebra::Bn254::Fp2);
PENSTOCK_CHAIN_INSTANCES(algebra::Bls12_381::Fp);
PENSTOCK_CHAIN_INSTANCES(algebra::Bls12_381::Fr);
PENSTOCK_CHAIN_INSTANCES(algebra::Bls12_381::Fp2);

}  // namespace penstock::cuda
