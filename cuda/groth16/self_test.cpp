#include "cuda/groth16/self_test.hpp"

#include <string>
#include <vector>

#include "common/groth16/msm.hpp"
#include "common/groth16/ntt.hpp"
#include "cuda/msm/msm.hpp"
#include "cuda/ntt/ntt.hpp"

namespace penstock::cuda {
namespace {

constexpr int transform_log2 = 10;
constexpr std::size_t points = 200;

Error wrong(const std::string& step, CurveId curve) {
  return {ErrorCode::device_unavailable,
          "the device's self-test failed: " + step + " on " + std::string(name(curve)),
          "the device computes wrongly; take it out of service or use --device cpu"};
}

/// Values without structure: powers of a fixed element.
template <class Fr>
std::vector<Fr> sequence(std::size_t size) {
  std::vector<Fr> values;
  Fr value = Fr::from_u64(0x9e3779b97f4a7c15);
  for (std::size_t i = 0; i < size; ++i, value = value.square() + Fr::from_u64(i)) values.push_back(value);
  return values;
}

template <class C>
bool transforms_agree(const Stream& stream, DeviceHeap& heap, groth16::ThreadTeam& team) {
  using Fr = typename C::Fr;
  std::vector<Fr> host = sequence<Fr>(std::size_t{1} << transform_log2), device = host;
  const DeviceBuffer<Fr> data(heap, host.size()), twiddles(heap, host.size());
  copy_to_device(stream, data.data(), host.data(), data.size_bytes());
  ntt::make_twiddles(stream, twiddles.data(), transform_log2, C::coset_shift(transform_log2));
  ntt::transform(stream, ntt::Transform::inverse, data.data(), twiddles.data(), transform_log2, 1);
  ntt::transform(stream, ntt::Transform::coset_forward, data.data(), twiddles.data(), transform_log2, 1);
  copy_to_host(stream, device.data(), data.data(), data.size_bytes());
  stream.wait_until_idle();
  const groth16::NttDomain<Fr> domain(team, transform_log2,
                                      {C::root_of_unity(transform_log2), C::coset_shift(transform_log2)});
  const std::span<Fr> polynomial[1] = {host};
  domain.evaluations_to_coefficients(team, polynomial);
  domain.coefficients_to_coset(team, polynomial);
  return device == host;
}

template <class C, class Point>
bool sums_agree(const Stream& stream, DeviceHeap& heap, groth16::ThreadTeam& team, const Point& generator) {
  using F = typename Point::Coordinate;
  using Sum = algebra::Xyzz<F>;
  std::vector<circuit::Scalar> scalars;
  for (const auto& value : sequence<typename C::Fr>(points)) scalars.push_back(value.to_limbs());
  std::vector<Sum> multiples(points, Sum::infinity());
  for (std::size_t i = 0; i < points; ++i) {
    if (i > 0) multiples[i] = multiples[i - 1];
    multiples[i].add(generator);
  }
  std::vector<Point> bases(points);
  algebra::batch_to_affine(std::span<const Sum>(multiples), std::span<Point>(bases));

  const msm::Plan plan = msm::plan_msm(C::Fr::modulus_bits(), points, points, 8);
  const DeviceBuffer<Point> table(heap, points * static_cast<std::size_t>(plan.tables));
  const DeviceBuffer<Sum> scratch_sums(heap, points), result(heap, 1);
  const DeviceBuffer<F> scratch(heap, points);
  const DeviceBuffer<msm::Scalar> device_scalars(heap, points);
  copy_to_device(stream, table.data(), bases.data(), points * sizeof(Point));
  copy_to_device(stream, device_scalars.data(), scalars.data(), device_scalars.size_bytes());
  msm::build_table<F>(stream, plan, points, table.data(), scratch_sums.data(), scratch.data());
  msm::DigitList digits = msm::make_digit_list(heap, plan.most_pairs(points));
  msm::Workspace<F> workspace = msm::make_workspace<F>(heap, plan, plan.most_pairs(points));
  const auto r = C::Fr::modulus();
  const std::uint64_t modulus[4] = {r[0], r[1], r[2], r[3]};
  msm::build_digits(stream, plan, device_scalars.data(), points, modulus, digits);
  msm::accumulate<F>(stream, plan, digits, table.data(), workspace, result.data());
  Sum device;
  copy_to_host(stream, &device, result.data(), sizeof device);
  stream.wait_until_idle();
  return device == groth16::msm<C, Point>(
                       team, UnalignedSpan<circuit::Scalar>(std::span<const circuit::Scalar>(scalars)),
                       {UnalignedSpan<Point>(std::span<const Point>(bases))});
}

template <class C>
Status test_curve(DeviceHeap& heap, groth16::ThreadTeam& team) {
  const Stream stream;
  if (!transforms_agree<C>(stream, heap, team)) return wrong("transforms differ from the host's", C::id);
  if (!sums_agree<C>(stream, heap, team, C::g1_generator()))
    return wrong("G1 sums differ from the host's", C::id);
  if (!sums_agree<C>(stream, heap, team, C::g2_generator()))
    return wrong("G2 sums differ from the host's", C::id);
  return {};
}

}  // namespace

Status self_test(DeviceHeap& heap) {
  groth16::ThreadTeam team(1);
  PENSTOCK_TRY(test_curve<algebra::Bn254>(heap, team));
  return test_curve<algebra::Bls12_381>(heap, team);
}

}  // namespace penstock::cuda
