#include "common/algebra/curves.hpp"
#include "cuda/bench/bench_tools.hpp"
#include "cuda/device/graph.hpp"
#include "cuda/ntt/ntt.hpp"

namespace penstock::cuda {
namespace {

constexpr int buffers = 4, in_graph = 16;

template <class C>
std::vector<BenchTiming> bench_transform(const BenchRequest& request) {
  using Fr = typename C::Fr;
  const std::size_t n = std::size_t{1} << request.log2;
  const Stream stream;
  DeviceHeap heap(free_memory_bytes());
  groth16::ThreadTeam team;
  const std::vector<circuit::Scalar> values = random_scalars<Fr>(team, n);  // taken as Montgomery residues
  std::vector<DeviceBuffer<Fr>> data;
  for (int i = 0; i < buffers; ++i) {
    data.emplace_back(heap, n);
    copy_to_device(stream, data.back().data(), values.data(), n * sizeof(Fr));
  }
  const bool largest = request.log2 == C::two_adicity;
  const auto table = largest ? ntt::Table::of_the_domain : ntt::Table::of_twice_the_order;
  const DeviceBuffer<Fr> twiddles(heap, n);
  if (largest)
    ntt::make_twiddles(stream, twiddles.data(), request.log2 - 1, C::root_of_unity(request.log2));
  else
    ntt::make_twiddles(stream, twiddles.data(), request.log2, C::coset_shift(request.log2));
  ntt::transform(stream, ntt::Transform::forward, data[0].data(), twiddles.data(), request.log2, 1, table);
  Fr first, sum = Fr::zero();  // the value at one is the sum of the coefficients
  copy_to_host(stream, &first, data[0].data(), sizeof first);
  stream.wait_until_idle();
  for (const auto& value : values) sum += Fr::from_montgomery(value);
  const Graph graph(stream, [&] {
    for (int i = 0; i < in_graph; ++i)
      ntt::transform(stream, ntt::Transform::forward, data[static_cast<std::size_t>(i % buffers)].data(),
                     twiddles.data(), request.log2, 1, table);
  });
  BenchTiming timing{.bench = "ntt", .variant = "natural to reversed"};
  time_on(stream, request.runs, in_graph, timing, [&] { graph.launch(stream); });
  timing.correct = first == sum;
  return {timing};
}

}  // namespace

Result<std::vector<BenchTiming>> bench_ntt(const BenchRequest& request) {
  return bench_on(request, [&]() -> Result<std::vector<BenchTiming>> {
    return algebra::with_curve(request.curve, [&](auto c) -> Result<std::vector<BenchTiming>> {
      using C = typename decltype(c)::type;
      if (request.log2 > C::two_adicity)
        return Error{ErrorCode::bad_domain,
                     "the field has no root of unity of order 2^" + std::to_string(request.log2)};
      return bench_transform<C>(request);
    });
  });
}

}  // namespace penstock::cuda
