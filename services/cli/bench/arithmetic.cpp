// field, ntt and msm on the host device: random full-width scalars, distinct points, results checked.
#include <memory>

#include "common/algebra/curves.hpp"
#include "common/groth16/fixed_base.hpp"
#include "common/groth16/msm.hpp"
#include "common/groth16/ntt.hpp"
#include "common/groth16/random_scalar.hpp"
#include "services/cli/bench/report.hpp"

namespace penstock::cli::bench {
namespace {

using circuit::Scalar;

std::vector<Scalar> random_scalars(CurveId curve, std::size_t count) {
  const groth16::ScalarSampler sampler(curve);
  std::vector<Scalar> scalars(count);
  for (auto& scalar : scalars)
    scalar = sampler.draw([](std::span<std::byte> out) { groth16::os_random_bytes(out); });
  return scalars;
}

template <class Fr>
std::vector<Fr> as_field(const std::vector<Scalar>& scalars) {
  std::vector<Fr> values(scalars.size());
  for (std::size_t i = 0; i < scalars.size(); ++i) values[i] = Fr::from_limbs(scalars[i]);
  return values;
}

Measurement measurement(const char* bench, const Settings& settings, std::string variant,
                        const Times& times) {
  return {.bench = bench,
          .curve = settings.curve,
          .log2 = settings.log2,
          .variant = std::move(variant),
          .median_ms = times.median_ms,
          .least_ms = times.least_ms,
          .runs = settings.runs};
}

// A chain of 2^log2 products on one core: latency and throughput meet in the prover's loops.
template <class F>
Measurement field_chain(const Settings& settings, const char* field, const F& seed) {
  const std::size_t count = std::size_t{1} << settings.log2;
  F value = seed;
  const auto times = time_runs(settings.runs, [&] {
    value = seed;
    for (std::size_t i = 0; i < count; ++i) value *= value;
  });
  // Squaring count times is raising to 2^count: once more by pow, for a short chain.
  F chain = seed;
  for (int i = 0; i < 60; ++i) chain *= chain;
  const std::uint64_t exponent[1] = {std::uint64_t{1} << 60};
  auto result = measurement("field", settings, std::string(field) + " product, 1 core", times);
  result.correct = chain == seed.pow(exponent);
  return result;
}

template <class C, class Point>
Measurement msm_on(const Settings& settings, const char* bench, const Point& generator) {
  using Fr = typename C::Fr;
  groth16::ThreadTeam team(settings.threads);
  const std::size_t count = std::size_t{1} << settings.log2;
  const auto scalars = random_scalars(C::id, count);
  const auto logs = as_field<Fr>(random_scalars(C::id, count));
  std::vector<Point> points(count);
  groth16::FixedBase<Fr, Point>(team, generator).multiply(team, logs, points);
  using Sum = algebra::Xyzz<typename Point::Coordinate>;
  Sum sum = Sum::infinity();
  const groth16::MsmQuery<Point> query{.points = std::span<const Point>(points)};
  const auto times = time_runs(
      settings.runs, [&] { sum = groth16::msm<C, Point>(team, std::span<const Scalar>(scalars), query); });
  // The points' logarithms are known: the sum is the generator times the inner product.
  Fr expected = Fr::zero();
  for (std::size_t i = 0; i < count; ++i) expected += logs[i] * Fr::from_limbs(scalars[i]);
  const auto check = algebra::scalar_multiply<Sum>(generator, expected.to_limbs()).to_affine();
  auto result = measurement(bench, settings, std::to_string(team.size()) + " threads", times);
  const auto got = sum.to_affine();
  result.correct = got.x == check.x && got.y == check.y;
  return result;
}

template <class C>
Measurement ntt_on(const Settings& settings) {
  using Fr = typename C::Fr;
  groth16::ThreadTeam team(settings.threads);
  const std::size_t count = std::size_t{1} << settings.log2;
  const typename groth16::NttDomain<Fr>::Roots roots{C::root_of_unity(settings.log2), Fr::one()};
  const groth16::NttDomain<Fr> domain(team, settings.log2, roots);
  const auto original = as_field<Fr>(random_scalars(C::id, count));
  auto values = original;
  const std::span<Fr> polynomial(values);
  const auto times = time_runs(settings.runs, [&] {
    domain.evaluations_to_coefficients(team, std::span<const std::span<Fr>>(&polynomial, 1));
  });
  // There and back on the domain itself multiplies by N.
  values = original;
  domain.evaluations_to_coefficients(team, std::span<const std::span<Fr>>(&polynomial, 1));
  domain.coefficients_to_coset(team, std::span<const std::span<Fr>>(&polynomial, 1));
  const Fr factor = Fr::from_u64(count);
  auto result =
      measurement("ntt", settings, "natural -> reversed, " + std::to_string(team.size()) + " threads", times);
  result.correct = true;
  for (std::size_t i = 0; i < count; ++i)
    result.correct = result.correct && values[i] == original[i] * factor;
  return result;
}

}  // namespace

Result<std::vector<Measurement>> bench_field(const Settings& settings) {
  return algebra::with_curve(settings.curve, [&](auto c) {
    using C = typename decltype(c)::type;
    using Fp = typename C::Fp;
    using Fr = typename C::Fr;
    return std::vector<Measurement>{field_chain(settings, "Fp", Fp::from_u64(0x9E3779B97F4A7C15)),
                                    field_chain(settings, "Fr", Fr::from_u64(0x9E3779B97F4A7C15))};
  });
}

Result<std::vector<Measurement>> bench_ntt(const Settings& settings) {
  return algebra::with_curve(settings.curve, [&](auto c) -> Result<std::vector<Measurement>> {
    using C = typename decltype(c)::type;
    if (settings.log2 > C::two_adicity)
      return Error{.code = ErrorCode::bad_domain,
                   .what = "the field has no root of unity of order 2^" + std::to_string(settings.log2)};
    return std::vector<Measurement>{ntt_on<C>(settings)};
  });
}

Result<std::vector<Measurement>> bench_msm_g1(const Settings& settings) {
  return algebra::with_curve(settings.curve, [&](auto c) {
    using C = typename decltype(c)::type;
    return std::vector<Measurement>{msm_on<C>(settings, "msm_g1", C::g1_generator())};
  });
}

Result<std::vector<Measurement>> bench_msm_g2(const Settings& settings) {
  return algebra::with_curve(settings.curve, [&](auto c) {
    using C = typename decltype(c)::type;
    return std::vector<Measurement>{msm_on<C>(settings, "msm_g2", C::g2_generator())};
  });
}

Result<std::vector<Measurement>> bench_msm(const Settings& settings) {
  return std::vector<Measurement>{PENSTOCK_TRY(bench_msm_g1(settings)).front(),
                                  PENSTOCK_TRY(bench_msm_g2(settings)).front()};
}

}  // namespace penstock::cli::bench
