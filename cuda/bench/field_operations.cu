#include "cuda/bench/field_operations.hpp"

#include "common/algebra/bls12_381.hpp"
#include "common/algebra/bn254.hpp"
#include "cuda/field/field_products.cuh"
#include "cuda/msm/lanes.cuh"

namespace penstock::cuda {
namespace {

constexpr int threads = 128;

template <class F>
__device__ F result_of(Operation operation, const F& a, const F& b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return algebra::times(a, b);
    default:
      return algebra::square_of(a);
  }
}

template <class F>
__global__ void apply_kernel(Operation operation, const F* a, const F* b, F* out, std::uint64_t n) {
  const std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(threads) + threadIdx.x;
  if (i < n) out[i] = operation == Operation::inverse ? a[i].inverse() : result_of(operation, a[i], b[i]);
}

template <class F>
__global__ void halves_kernel(Operation operation, const F* a, const F* b, F* out, std::uint64_t n) {
  using Lanes = msm::Lanes<F>;
  const std::uint64_t i = (blockIdx.x * static_cast<std::uint64_t>(threads) + threadIdx.x) / 2;
  if (i < n) Lanes::store(out + i, result_of(operation, Lanes::load(a + i), Lanes::load(b + i)));
}

unsigned blocks(std::uint64_t n) {
  return static_cast<unsigned>((n + threads - 1) / threads);
}

}  // namespace

template <class F>
void apply(const Stream& stream, Operation operation, const F* a, const F* b, F* out, std::uint64_t n) {
  apply_kernel<F><<<blocks(n), threads, 0, stream.get()>>>(operation, a, b, out, n);
  check_launch();
}

template <class F>
void apply_by_halves(const Stream& stream, Operation operation, const F* a, const F* b, F* out,
                     std::uint64_t n) {
  halves_kernel<F><<<blocks(2 * n), threads, 0, stream.get()>>>(operation, a, b, out, n);
  check_launch();
}

#define PENSTOCK_APPLY(F) \
  template void apply<F>(const Stream&, Operation, const F*, const F*, F*, std::uint64_t)
#define PENSTOCK_APPLY_BY_HALVES(F) \
  template void apply_by_halves<F>(const Stream&, Operation, const F*, const F*, F*, std::uint64_t)
PENSTOCK_APPLY(algebra::Bn254::Fr);
PENSTOCK_APPLY(algebra::Bn254::Fp);
PENSTOCK_APPLY(algebra::Bn254::Fp2);
PENSTOCK_APPLY(algebra::Bls12_381::Fr);
PENSTOCK_APPLY(algebra::Bls12_381::Fp);
PENSTOCK_APPLY(algebra::Bls12_381::Fp2);
PENSTOCK_APPLY_BY_HALVES(algebra::Bn254::Fp2);
PENSTOCK_APPLY_BY_HALVES(algebra::Bls12_381::Fp2);

}  // namespace penstock::cuda
