// Times of common/algebra: products, sums, points, pairings, subgroup checks; every benchmark on both product
// paths where it makes sense. Read the minimum over repetitions on a busy machine:
//   penstock_field_bench --benchmark_repetitions=5 --benchmark_format=json
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/algebra/pairing.hpp"
#include "common/algebra/product_path.hpp"
#include "common/algebra/subgroup.hpp"

namespace penstock::algebra {
namespace {

/// An element that is not small, different for every seed.
template <class F>
F element(std::uint64_t seed) {
  if constexpr (requires { F::modulus(); }) {
    F value = F::from_u64(seed * 0x9e3779b97f4a7c15 + 1);
    for (int i = 0; i < 4; ++i) value = value.square() + F::from_u64(seed);
    return value;
  } else {
    return {element<typename F::Base>(seed), element<typename F::Base>(seed + 1)};
  }
}

/// Eight independent chains: what a sum over many points sees.
template <class F, class Step>
void throughput(benchmark::State& state, const Step& step) {
  select_product(static_cast<ProductPath>(state.range(0)));
  std::array<F, 8> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element<F>(i + 1);
  const F other = element<F>(99);
  for (auto _ : state)
    for (F& value : values) benchmark::DoNotOptimize(value = step(value, other));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values.size()));
  state.SetLabel(std::string(name(active_product())));
  select_product(best_product());
}

template <class F>
void product(benchmark::State& state) {
  throughput<F>(state, [](const F& a, const F& b) { return a * b; });
}
template <class F>
void square(benchmark::State& state) {
  throughput<F>(state, [](const F& a, const F&) { return a.square(); });
}
template <class F>
void sum(benchmark::State& state) {
  throughput<F>(state, [](const F& a, const F& b) { return a + b; });
}
template <class F>
void difference(benchmark::State& state) {
  throughput<F>(state, [](const F& a, const F& b) { return a - b; });
}
template <class F>
void product_latency(benchmark::State& state) {
  select_product(static_cast<ProductPath>(state.range(0)));
  F value = element<F>(1);
  const F other = element<F>(2);
  for (auto _ : state) benchmark::DoNotOptimize(value *= other);
  state.SetLabel(std::string(name(active_product())));
  select_product(best_product());
}
template <class F>
void inverse(benchmark::State& state) {
  F value = element<F>(1);
  for (auto _ : state) benchmark::DoNotOptimize(value = value.inverse());
}

template <class Sum>
void mixed_addition(benchmark::State& state, const typename Sum::Point& generator) {
  Sum sum = Sum::from(generator);
  sum.double_in_place();
  for (auto _ : state) {
    sum.add(generator);
    benchmark::DoNotOptimize(sum);
  }
}
template <class Sum>
void full_addition(benchmark::State& state, const typename Sum::Point& generator) {
  Sum sum = Sum::from(generator);
  sum.double_in_place();
  Sum other = sum;
  other.double_in_place();
  for (auto _ : state) {
    sum.add(other);
    benchmark::DoNotOptimize(sum);
  }
}
template <class Sum>
void doubling(benchmark::State& state, const typename Sum::Point& generator) {
  Sum sum = Sum::from(generator);
  for (auto _ : state) {
    sum.double_in_place();
    benchmark::DoNotOptimize(sum);
  }
}

template <class C>
void one_pairing(benchmark::State& state) {
  const auto g = C::g1_generator();
  const auto h = C::g2_generator();
  for (auto _ : state) benchmark::DoNotOptimize(pairing<C>(g, h));
}
/// The four pairs of a Groth16 verification.
template <class C>
void verification_product(benchmark::State& state) {
  const std::vector<PointPair<C>> pairs = {{C::g1_generator(), C::g2_generator()},
                                           {-C::g1_generator(), C::g2_generator()},
                                           {C::g1_generator(), -C::g2_generator()},
                                           {-C::g1_generator(), -C::g2_generator()}};
  for (auto _ : state) benchmark::DoNotOptimize(pairing_product_is_one<C>(pairs));
}

template <class C, class Point>
void subgroup_test(benchmark::State& state, const Point& generator) {
  for (auto _ : state) benchmark::DoNotOptimize(C::in_subgroup(generator));
}
template <class C, class Point>
void subgroup_batch(benchmark::State& state, const Point& generator) {
  using Sum = Xyzz<typename Point::Coordinate>;
  std::vector<Sum> sums(static_cast<std::size_t>(state.range(0)));
  Sum running = Sum::from(generator);
  for (auto& sum : sums) {
    sum = running;
    running.add(generator);
  }
  std::vector<Point> points(sums.size());
  batch_to_affine<typename Point::Coordinate>(sums, points);
  for (auto _ : state)
    benchmark::DoNotOptimize(find_outside_subgroup<C>(UnalignedSpan<Point>(std::span<const Point>(points))));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

constexpr auto portable = static_cast<std::int64_t>(ProductPath::portable);
constexpr auto adx = static_cast<std::int64_t>(ProductPath::adx);

template <class F>
void register_field(const std::string& field) {
  benchmark::RegisterBenchmark(("product/" + field).c_str(), product<F>)->Arg(adx)->Arg(portable);
  benchmark::RegisterBenchmark(("product_latency/" + field).c_str(), product_latency<F>)->Arg(adx);
  benchmark::RegisterBenchmark(("square/" + field).c_str(), square<F>)->Arg(adx);
  benchmark::RegisterBenchmark(("sum/" + field).c_str(), sum<F>)->Arg(adx);
  benchmark::RegisterBenchmark(("difference/" + field).c_str(), difference<F>)->Arg(adx);
  benchmark::RegisterBenchmark(("inverse/" + field).c_str(), inverse<F>);
}

template <class C, class Sum>
void register_group(const std::string& group, const typename Sum::Point& generator) {
  const auto add = [&](const char* what, auto run, benchmark::TimeUnit unit) {
    return benchmark::RegisterBenchmark((what + group).c_str(),
                                        [=](benchmark::State& state) { run(state, generator); })
        ->Unit(unit);
  };
  add("mixed_addition/", mixed_addition<Sum>, benchmark::kNanosecond);
  add("full_addition/", full_addition<Sum>, benchmark::kNanosecond);
  add("doubling/", doubling<Sum>, benchmark::kNanosecond);
  add("subgroup_test/", subgroup_test<C, typename Sum::Point>, benchmark::kMicrosecond);
  add("subgroup_batch/", subgroup_batch<C, typename Sum::Point>, benchmark::kMillisecond)->Arg(1 << 17);
}

template <class C>
void register_curve() {
  const std::string curve(name(C::id));
  register_field<typename C::Fr>(curve + "_fr");
  register_field<typename C::Fp>(curve + "_fp");
  register_field<typename C::Fp2>(curve + "_fp2");
  register_group<C, typename C::G1Sum>(curve + "_g1", C::g1_generator());
  register_group<C, typename C::G2Sum>(curve + "_g2", C::g2_generator());
  benchmark::RegisterBenchmark(("pairing/" + curve).c_str(), one_pairing<C>)->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark(("verification_product/" + curve).c_str(), verification_product<C>)
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace
}  // namespace penstock::algebra

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  penstock::algebra::register_curve<penstock::algebra::Bn254>();
  penstock::algebra::register_curve<penstock::algebra::Bls12_381>();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
