#include "common/algebra/curves.hpp"
#include "cuda/bench/bench_tools.hpp"
#include "cuda/msm/msm.hpp"

namespace penstock::cuda {
namespace {

/// The points (2i+1)·2^(3q)·G for i < 2^16: distinct, since their odd parts or their powers of two differ.
constexpr int base_log2 = 16, power_step = 3;

template <class C, class Point>
Point generator() {
  if constexpr (std::is_same_v<Point, typename C::G1>)
    return C::g1_generator();
  else
    return C::g2_generator();
}

std::size_t base_of(std::size_t n) {
  return std::min(n, std::size_t{1} << base_log2);
}

template <class C, class Point>
struct Inputs {
  using F = typename Point::Coordinate;
  using Sum = algebra::Xyzz<F>;
  using Fr = typename C::Fr;

  Inputs(const Stream& stream, DeviceHeap& heap, int log2)
      : n(std::size_t{1} << log2),
        plan(msm::plan_msm(Fr::modulus_bits(), n, n, tables_within(heap))),
        scalars(random_scalars<Fr>(team, n)),
        table(heap, n * static_cast<std::size_t>(plan.tables)),
        device_scalars(heap, n) {
    fill_table(stream, heap);
    copy_to_device(stream, device_scalars.data(), scalars.data(), n * sizeof(circuit::Scalar));
    stream.wait_until_idle();
  }

  [[nodiscard]] int tables_within(const DeviceHeap& heap) const {
    return static_cast<int>(std::min<std::uint64_t>(64, heap.budget_bytes() * 4 / 10 / (n * sizeof(Point))));
  }
  void fill_table(const Stream& stream, DeviceHeap& heap) {
    const std::size_t base = base_of(n);
    Sum twice = Sum::from(generator<C, Point>()), sum = twice;
    twice.double_in_place();
    const Point step = twice.to_affine();
    std::vector<Sum> sums;
    for (std::size_t i = 0; i < base; ++i, sum.add(step)) sums.push_back(sum);
    std::vector<Point> points(base);
    algebra::batch_to_affine(std::span<const Sum>(sums), std::span<Point>(points));
    copy_to_device(stream, table.data(), points.data(), base * sizeof(Point));
    const DeviceBuffer<Sum> scratch_sums(heap, n);
    const DeviceBuffer<F> scratch(heap, n);
    msm::Plan widen;
    widen.window_bits = power_step;
    widen.sets = 1;
    widen.tables = static_cast<int>(n / base);
    msm::build_table<F>(stream, widen, base, table.data(), scratch_sums.data(), scratch.data());
    msm::build_table<F>(stream, plan, n, table.data(), scratch_sums.data(), scratch.data());
    stream.wait_until_idle();
  }
  /// The points' logarithms are known: the sum is the generator times the inner product.
  [[nodiscard]] Sum expected() {
    const std::size_t base = base_of(n);
    std::vector<Fr> parts(n / base);
    team.for_each(parts.size(), [&](std::size_t q, int) {
      const std::uint64_t exponent[1] = {power_step * q};
      Fr part = Fr::zero();
      for (std::size_t i = 0; i < base; ++i)
        part += Fr::from_limbs(scalars[q * base + i]) * Fr::from_u64(2 * i + 1);
      parts[q] = part * Fr::from_u64(2).pow(exponent);
    });
    Fr product = Fr::zero();
    for (const Fr& part : parts) product += part;
    return algebra::scalar_multiply<Sum>(generator<C, Point>(), product.to_limbs());
  }

  groth16::ThreadTeam team;
  std::size_t n;
  msm::Plan plan;
  std::vector<circuit::Scalar> scalars;
  DeviceBuffer<Point> table;
  DeviceBuffer<msm::Scalar> device_scalars;
};

template <class C, class Point>
std::vector<BenchTiming> bench_msm(const BenchRequest& request, const char* name) {
  using F = typename Point::Coordinate;
  using Sum = algebra::Xyzz<F>;
  const Stream stream;
  DeviceHeap heap(free_memory_bytes());
  Inputs<C, Point> inputs(stream, heap, request.log2);
  const msm::Plan& plan = inputs.plan;
  msm::DigitList digits = msm::make_digit_list(heap, plan.most_pairs(inputs.n));
  msm::Workspace<F> workspace = msm::make_workspace<F>(heap, plan, plan.most_pairs(inputs.n));
  const DeviceBuffer<Sum> result(heap, 1);
  const auto r = C::Fr::modulus();
  const std::uint64_t modulus[4] = {r[0], r[1], r[2], r[3]};
  const auto sort = [&] {
    msm::build_digits(stream, plan, inputs.device_scalars.data(), inputs.n, modulus, digits);
  };
  BenchTiming total{.bench = name}, digits_only{.bench = "digits"};
  total.variant = "c=" + std::to_string(plan.window_bits) + " tables=" + std::to_string(plan.tables) +
                  " sets=" + std::to_string(plan.sets);
  digits_only.variant = std::string("of ") + name;
  time_on(stream, request.runs, 1, total, [&] {
    sort();
    msm::accumulate<F>(stream, plan, digits, inputs.table.data(), workspace, result.data());
  });
  time_on(stream, request.runs, 1, digits_only, sort);
  Sum sum;
  copy_to_host(stream, &sum, result.data(), sizeof sum);
  stream.wait_until_idle();
  total.correct = digits_only.correct = sum == inputs.expected();
  return {total, digits_only};
}

}  // namespace

Result<std::vector<BenchTiming>> bench_msm_g1(const BenchRequest& request) {
  return bench_on(request, [&] {
    return algebra::with_curve(request.curve, [&](auto c) {
      using C = typename decltype(c)::type;
      return bench_msm<C, typename C::G1>(request, "msm_g1");
    });
  });
}

Result<std::vector<BenchTiming>> bench_msm_g2(const BenchRequest& request) {
  return bench_on(request, [&] {
    return algebra::with_curve(request.curve, [&](auto c) {
      using C = typename decltype(c)::type;
      return bench_msm<C, typename C::G2>(request, "msm_g2");
    });
  });
}

}  // namespace penstock::cuda
