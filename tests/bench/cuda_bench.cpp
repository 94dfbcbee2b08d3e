// Benchmarks of the device's algorithms: a table for people on stderr, one JSON line each on stdout.
// Usage: penstock_cuda_bench msm|ntt CURVE LOG2 [LOG2 …]      (environment: PENSTOCK_BENCH_DATE,
// PENSTOCK_BENCH_COMMIT) Method: medians of 7 runs by CUDA events after one warm-up; points and scalars
// resident, random full-width scalars,
//   distinct points, every result checked. MSM: digits, sort, accumulation and reduction; the fixed-base
//   tables are built before. NTT: natural -> reversed; a graph of 16 transforms over 4 rotating buffers,
//   divided by 16.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/circuit/proof.hpp"
#include "cuda/device/device_list.hpp"
#include "cuda/device/graph.hpp"
#include "cuda/msm/msm.hpp"
#include "cuda/ntt/ntt.hpp"

namespace penstock::bench {
namespace {

constexpr int runs = 7;
std::string device_name;

struct Timing {
  double median_ms = 0, least_ms = 0;
};

Timing measure(const cuda::Stream& stream, const std::function<void()>& enqueue, int divisor) {
  const cuda::Event begin(cuda::Event::Use::timing), end(cuda::Event::Use::timing);
  std::vector<double> times;
  for (int run = 0; run <= runs; ++run) {
    stream.record(begin);
    enqueue();
    stream.record(end);
    end.wait_until_reached();
    if (run > 0) times.push_back(end.milliseconds_since(begin) / divisor);
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front()};
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void report(const std::string& bench, CurveId curve, int log2n, const std::string& variant,
            const Timing& timing, bool correct) {
  std::fprintf(stderr, "%-8s %-10s 2^%-3d %10.3f ms  (least %.3f)  %-24s %s\n", bench.c_str(),
               name(curve).data(), log2n, timing.median_ms, timing.least_ms, variant.c_str(),
               correct ? "ok" : "WRONG");
  std::printf(
      "{\"date\":\"%s\",\"commit\":\"%s\",\"device\":\"%s\",\"bench\":\"%s\",\"curve\":\"%s\",\"log2\":%d,"
      "\"variant\":\"%s\",\"ms\":%.4f,\"min_ms\":%.4f,\"runs\":%d,\"check\":\"%s\"}\n",
      environment("PENSTOCK_BENCH_DATE").c_str(), environment("PENSTOCK_BENCH_COMMIT").c_str(),
      device_name.c_str(), bench.c_str(), name(curve).data(), log2n, variant.c_str(), timing.median_ms,
      timing.least_ms, runs, correct ? "ok" : "wrong");
  std::fflush(stdout);
}

template <class C>
circuit::Scalar random_scalar(std::mt19937_64& random) {
  for (;;) {
    circuit::Scalar scalar = {random(), random(), random(), random() >> 1};
    if (C::Fr::is_canonical(scalar)) return scalar;
  }
}

/// The points (2i+1)·2^(3q)·G: distinct, since their odd parts or their powers of two differ.
constexpr int base_log2 = 16, power_step = 3;

template <class C, class Point>
cuda::DeviceBuffer<Point> make_points(const cuda::Stream& stream, cuda::DeviceHeap& heap, int log2n,
                                      int tables) {
  using F = typename Point::Coordinate;
  using Sum = algebra::Xyzz<F>;
  const std::size_t n = std::size_t{1} << log2n, base = std::min(n, std::size_t{1} << base_log2);
  Point generator;
  if constexpr (std::is_same_v<Point, typename C::G1>)
    generator = C::g1_generator();
  else
    generator = C::g2_generator();
  Sum twice = Sum::from(generator), sum = Sum::from(generator);
  twice.double_in_place();
  const Point step = twice.to_affine();
  std::vector<Sum> sums;
  for (std::size_t i = 0; i < base; ++i, sum.add(step)) sums.push_back(sum);
  std::vector<Point> points(base);
  algebra::batch_to_affine(std::span<const Sum>(sums), std::span<Point>(points));
  cuda::DeviceBuffer<Point> table(heap, n * static_cast<std::size_t>(tables));
  cuda::copy_to_device(stream, table.data(), points.data(), base * sizeof(Point));
  const cuda::DeviceBuffer<Sum> scratch_sums(heap, n);
  const cuda::DeviceBuffer<F> scratch(heap, n);
  msm::Plan widen;
  widen.window_bits = power_step;
  widen.sets = 1;
  widen.tables = static_cast<int>(n / base);
  msm::build_table<F>(stream, widen, base, table.data(), scratch_sums.data(), scratch.data());
  stream.wait_until_idle();
  return table;
}

template <class C, class Point>
void bench_msm(const std::string& bench, int log2n) {
  using F = typename Point::Coordinate;
  using Fr = typename C::Fr;
  using Sum = algebra::Xyzz<F>;
  const std::size_t n = std::size_t{1} << log2n;
  const cuda::Stream stream;
  cuda::DeviceHeap heap(cuda::free_memory_bytes());
  const int most_tables =
      static_cast<int>(std::min<std::uint64_t>(64, heap.budget_bytes() * 4 / 10 / (n * sizeof(Point))));
  const msm::Plan plan = msm::plan_msm(Fr::modulus_bits(), n, n, most_tables);
  const auto table = make_points<C, Point>(stream, heap, log2n, plan.tables);
  {
    const cuda::DeviceBuffer<Sum> sums(heap, n);
    const cuda::DeviceBuffer<F> scratch(heap, n);
    msm::build_table<F>(stream, plan, n, table.data(), sums.data(), scratch.data());
    stream.wait_until_idle();
  }
  std::mt19937_64 random(1);
  std::vector<circuit::Scalar> scalars(n);
  for (auto& scalar : scalars) scalar = random_scalar<C>(random);
  const cuda::DeviceBuffer<msm::Scalar> device_scalars(heap, n);
  cuda::copy_to_device(stream, device_scalars.data(), scalars.data(), n * sizeof(circuit::Scalar));
  msm::DigitList digits = msm::make_digit_list(heap, plan.most_pairs(n));
  msm::Workspace<F> workspace = msm::make_workspace<F>(heap, plan);
  const cuda::DeviceBuffer<Sum> result(heap, 1);
  const auto r = Fr::modulus();
  const std::uint64_t modulus[4] = {r[0], r[1], r[2], r[3]};
  const auto sort = [&] { msm::build_digits(stream, plan, device_scalars.data(), n, modulus, digits); };
  const auto whole = [&] {
    sort();
    msm::accumulate<F>(stream, plan, digits, table.data(), workspace, result.data());
  };
  const Timing total = measure(stream, whole, 1), digits_only = measure(stream, sort, 1);
  Sum sum;
  cuda::copy_to_host(stream, &sum, result.data(), sizeof sum);
  stream.wait_until_idle();

  const std::size_t base = std::min(n, std::size_t{1} << base_log2);
  Fr expected = Fr::zero(), power = Fr::one();
  for (std::size_t q = 0; q < n / base; ++q, power *= Fr::from_u64(1u << power_step))
    for (std::size_t i = 0; i < base; ++i)
      expected += Fr::from_limbs(scalars[q * base + i]) * Fr::from_u64(2 * i + 1) * power;
  Point generator;
  if constexpr (std::is_same_v<Point, typename C::G1>)
    generator = C::g1_generator();
  else
    generator = C::g2_generator();
  const bool correct = sum == algebra::scalar_multiply<Sum>(generator, expected.to_limbs());
  report(bench, C::id, log2n,
         "c=" + std::to_string(plan.window_bits) + " tables=" + std::to_string(plan.tables) +
             " sets=" + std::to_string(plan.sets),
         total, correct);
  report("digits", C::id, log2n, "of " + bench, digits_only, correct);
}

template <class C>
void bench_ntt(int log2n) {
  using Fr = typename C::Fr;
  constexpr int buffers = 4, in_graph = 16;
  const std::size_t n = std::size_t{1} << log2n;
  const cuda::Stream stream;
  cuda::DeviceHeap heap(cuda::free_memory_bytes());
  std::mt19937_64 random(2);
  std::vector<Fr> values(n);
  for (auto& value : values) value = Fr::from_montgomery(random_scalar<C>(random));
  std::vector<cuda::DeviceBuffer<Fr>> data;
  for (int i = 0; i < buffers; ++i) {
    data.emplace_back(heap, n);
    cuda::copy_to_device(stream, data.back().data(), values.data(), n * sizeof(Fr));
  }
  const cuda::DeviceBuffer<Fr> twiddles(heap, n);
  ntt::make_twiddles(stream, twiddles.data(), log2n, C::root_of_unity(log2n + 1));
  ntt::transform(stream, ntt::Transform::forward, data[0].data(), twiddles.data(), log2n, 1);
  Fr first, sum = Fr::zero();  // the value at one is the sum of the coefficients
  cuda::copy_to_host(stream, &first, data[0].data(), sizeof first);
  stream.wait_until_idle();
  for (const Fr& value : values) sum += value;
  const cuda::Graph graph(stream, [&] {
    for (int i = 0; i < in_graph; ++i)
      ntt::transform(stream, ntt::Transform::forward, data[static_cast<std::size_t>(i % buffers)].data(),
                     twiddles.data(), log2n, 1);
  });
  const Timing timing = measure(
      stream, [&] { graph.launch(stream); }, in_graph);
  report("ntt", C::id, log2n, "natural to reversed", timing, first == sum);
}

template <class C>
void run(const std::string& what, int log2n) {
  if (what == "ntt") return bench_ntt<C>(log2n);
  if (what == "msm_g1") return bench_msm<C, typename C::G1>(what, log2n);
  if (what == "msm_g2") return bench_msm<C, typename C::G2>(what, log2n);
  throw std::invalid_argument("what to measure: ntt, msm_g1 or msm_g2");
}

}  // namespace
}  // namespace penstock::bench

int main(int argc, char** argv) {
  using namespace penstock;
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s ntt|msm_g1|msm_g2 bn254|bls12_381 LOG2 [LOG2 ...]\n", argv[0]);
    return 2;
  }
  const auto devices = cuda::list_devices();
  const auto curve = curve_from(argv[2]);
  if (!devices.ok() || !curve) {
    std::fprintf(stderr, "%s\n", devices.ok() ? "unknown curve" : to_string(devices.error()).c_str());
    return 1;
  }
  cuda::use_device(0);
  bench::device_name = devices->front().name;
  try {
    for (int i = 3; i < argc; ++i)
      algebra::with_curve(
          *curve, [&](auto c) { bench::run<typename decltype(c)::type>(argv[1], std::atoi(argv[i])); });
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  return 0;
}
