#include "cuda/spmv/spmv.hpp"

#include <vector>

#include "common/algebra/bls12_381.hpp"
#include "common/algebra/bn254.hpp"

namespace penstock::spmv {
namespace {

constexpr int threads = 128;

template <class Fr>
__device__ __forceinline__ Fr term(const Fr* values, const std::uint32_t* signals, const msm::Scalar* witness,
                                   std::uint32_t entry) {
  const msm::Scalar wire = witness[signals[entry]];
  Fr plain;
  for (int k = 0; k < 4; ++k) plain.limb[k] = wire.limb[k];
  return values[entry] * plain;
}

template <class Fr>
__global__ void __launch_bounds__(threads)
    short_rows(const std::uint32_t* first, const std::uint32_t* signals, const Fr* values,
               const msm::Scalar* witness, std::uint64_t rows, Fr* out) {
  const std::uint64_t row = blockIdx.x * static_cast<std::uint64_t>(threads) + threadIdx.x;
  if (row >= rows) return;
  const std::uint32_t begin = first[row], end = first[row + 1];
  if (end - begin > long_row_entries) return;
  Fr sum = Fr::zero();
  for (std::uint32_t entry = begin; entry < end; ++entry) sum = sum + term(values, signals, witness, entry);
  out[row] = sum;
}

/// One block a row.
template <class Fr>
__global__ void __launch_bounds__(threads)
    long_rows(const std::uint32_t* rows, const std::uint32_t* first, const std::uint32_t* signals,
              const Fr* values, const msm::Scalar* witness, Fr* out) {
  __shared__ Fr partial[threads];
  const std::uint32_t row = rows[blockIdx.x];
  Fr sum = Fr::zero();
  for (std::uint32_t entry = first[row] + threadIdx.x; entry < first[row + 1]; entry += threads)
    sum = sum + term(values, signals, witness, entry);
  partial[threadIdx.x] = sum;
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] = partial[threadIdx.x] + partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[row] = partial[0];
}

template <class T>
cuda::DeviceBuffer<T> upload(const cuda::Stream& stream, cuda::DeviceHeap& heap, const std::vector<T>& host) {
  cuda::DeviceBuffer<T> device(heap, host.size());
  cuda::copy_to_device(stream, device.data(), host.data(), host.size() * sizeof(T));
  return device;
}

}  // namespace

template <class Fr>
DeviceRows<Fr> upload_rows(const cuda::Stream& stream, cuda::DeviceHeap& heap,
                           UnalignedSpan<circuit::Coefficient> coefficients, std::uint32_t domain_size) {
  const std::uint64_t rows = 2 * static_cast<std::uint64_t>(domain_size);
  std::vector<std::uint32_t> first(rows + 1);
  const auto row_of = [&](const circuit::Coefficient& c) {
    return std::uint64_t{c.matrix} * domain_size + c.constraint;
  };
  for (std::size_t i = 0; i < coefficients.size(); ++i) ++first[row_of(coefficients[i]) + 1];
  std::vector<std::uint32_t> long_row_list;
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (first[row + 1] > long_row_entries) long_row_list.push_back(static_cast<std::uint32_t>(row));
    first[row + 1] += first[row];
  }
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1), signals(coefficients.size());
  std::vector<Fr> values(coefficients.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const circuit::Coefficient c = coefficients[i];
    const std::uint32_t at = next[row_of(c)]++;
    signals[at] = c.signal;
    for (int k = 0; k < 4; ++k) values[at].limb[k] = c.value[k];
  }
  DeviceRows<Fr> device;
  device.rows = rows;
  device.first = upload(stream, heap, first);
  device.signals = upload(stream, heap, signals);
  device.values = upload(stream, heap, values);
  device.long_rows = upload(stream, heap, long_row_list);
  stream.wait_until_idle();
  return device;
}

template <class Fr>
void multiply(const cuda::Stream& stream, const DeviceRows<Fr>& rows, const msm::Scalar* witness, Fr* out) {
  const auto blocks = static_cast<unsigned>((rows.rows + threads - 1) / threads);
  short_rows<<<blocks, threads, 0, stream.get()>>>(rows.first.data(), rows.signals.data(), rows.values.data(),
                                                   witness, rows.rows, out);
  cuda::check_launch();
  if (rows.long_rows.size() == 0) return;
  long_rows<<<static_cast<unsigned>(rows.long_rows.size()), threads, 0, stream.get()>>>(
      rows.long_rows.data(), rows.first.data(), rows.signals.data(), rows.values.data(), witness, out);
  cuda::check_launch();
}

#define PENSTOCK_SPMV_INSTANCES(Fr)                                                            \
  template DeviceRows<Fr> upload_rows<Fr>(const cuda::Stream&, cuda::DeviceHeap&,              \
                                          UnalignedSpan<circuit::Coefficient>, std::uint32_t); \
  template void multiply<Fr>(const cuda::Stream&, const DeviceRows<Fr>&, const msm::Scalar*, Fr*)
PENSTOCK_SPMV_INSTANCES(algebra::Bn254::Fr);
PENSTOCK_SPMV_INSTANCES(algebra::Bls12_381::Fr);

}  // namespace penstock::spmv
