#include "common/algebra/curves.hpp"
#include "cuda/bench/bench_tools.hpp"
#include "cuda/bench/field_chain.hpp"

namespace penstock::cuda {
namespace {

enum class Operation { product, square };

template <class F>
void enqueue(const Stream& stream, Operation operation, F* values, std::uint64_t n) {
  operation == Operation::product ? enqueue_products(stream, values, n) : enqueue_squares(stream, values, n);
}

/// 2^log2 operations; the last thread's result against the host's.
template <class F>
BenchTiming bench_chain(const BenchRequest& request, const char* variant, Operation operation) {
  const std::uint64_t n = std::max<std::uint64_t>((std::uint64_t{1} << request.log2) / chain_length, 1);
  const Stream stream;
  DeviceHeap heap(free_memory_bytes());
  const DeviceBuffer<F> values(heap, n);
  const F seed = F::from_u64(0x9e3779b97f4a7c15);
  const std::vector<F> seeds(n, seed);
  copy_to_device(stream, values.data(), seeds.data(), values.size_bytes());
  BenchTiming timing{.bench = "field", .variant = variant};
  time_on(stream, request.runs, 1, timing, [&] { enqueue(stream, operation, values.data(), n); });
  copy_to_device(stream, values.data(), seeds.data(), values.size_bytes());
  enqueue(stream, operation, values.data(), n);
  F last, expected = seed;
  copy_to_host(stream, &last, values.data() + n - 1, sizeof last);
  stream.wait_until_idle();
  for (int k = 0; k < chain_length; ++k)
    expected = operation == Operation::product ? expected * seed : expected.square();
  timing.correct = last == expected;
  return timing;
}

}  // namespace

Result<std::vector<BenchTiming>> bench_field(const BenchRequest& request) {
  return bench_on(request, [&] {
    return algebra::with_curve(request.curve, [&](auto c) {
      using C = typename decltype(c)::type;
      return std::vector<BenchTiming>{
          bench_chain<typename C::Fp>(request, "Fp product", Operation::product),
          bench_chain<typename C::Fp>(request, "Fp square", Operation::square),
          bench_chain<typename C::Fr>(request, "Fr product", Operation::product),
          bench_chain<typename C::Fr>(request, "Fr square", Operation::square),
          bench_chain<typename C::Fp2>(request, "Fp2 product", Operation::product)};
    });
  });
}

}  // namespace penstock::cuda
