// Multi-scalar multiplication on the device against the host's, on everything that can go wrong with digits
// and buckets.
#include "cuda/msm/msm.hpp"

#include "common/groth16/msm.hpp"
#include "tests/gpu/gpu_fixture.hpp"

namespace penstock::test {
namespace {

template <class CurveT, class PointT>
struct Group {
  using Curve = CurveT;
  using Point = PointT;
};

template <class G>
class DeviceMsm : public Gpu {
 protected:
  using GroupCurve = typename G::Curve;
  using GroupPoint = typename G::Point;
  using F = typename GroupPoint::Coordinate;
  using ScalarField = typename GroupCurve::Fr;

  algebra::Xyzz<F> on_device(const std::vector<circuit::Scalar>& scalars,
                             const std::vector<GroupPoint>& points, const msm::Plan& plan) {
    const std::size_t n = points.size();
    const cuda::DeviceBuffer<GroupPoint> table(heap_, n * static_cast<std::size_t>(plan.tables) + 1);
    cuda::copy_to_device(stream_, table.data(), points.data(), n * sizeof(GroupPoint));
    const cuda::DeviceBuffer<algebra::Xyzz<F>> sums(heap_, n + 1);
    const cuda::DeviceBuffer<F> scratch(heap_, n + 1);
    msm::build_table<F>(stream_, plan, n, table.data(), sums.data(), scratch.data());
    const auto device_scalars = to_device(stream_, heap_, scalars);
    msm::DigitList digits = msm::make_digit_list(heap_, plan.most_pairs(n));
    msm::Workspace<F> workspace = msm::make_workspace<F>(heap_, plan, plan.most_pairs(n));
    const auto modulus = ScalarField::modulus();
    const std::uint64_t limbs[4] = {modulus[0], modulus[1], modulus[2], modulus[3]};
    msm::build_digits(stream_, plan, reinterpret_cast<const msm::Scalar*>(device_scalars.data()), n, limbs,
                      digits);
    const cuda::DeviceBuffer<algebra::Xyzz<F>> result(heap_, 1);
    msm::accumulate<F>(stream_, plan, digits, table.data(), workspace, result.data());
    return to_host(stream_, result.data(), 1).front();
  }
  /// The same in chunks of `size` scalars, through one list that just holds them.
  algebra::Xyzz<F> in_chunks(const std::vector<circuit::Scalar>& scalars,
                             const std::vector<GroupPoint>& points, const msm::Plan& plan, std::size_t size) {
    const std::size_t n = points.size();
    const cuda::DeviceBuffer<GroupPoint> table(heap_, n * static_cast<std::size_t>(plan.tables));
    cuda::copy_to_device(stream_, table.data(), points.data(), n * sizeof(GroupPoint));
    const cuda::DeviceBuffer<algebra::Xyzz<F>> sums(heap_, n), result(heap_, 1);
    const cuda::DeviceBuffer<F> inverses(heap_, n);
    msm::build_table<F>(stream_, plan, n, table.data(), sums.data(), inverses.data());
    const auto device_scalars = to_device(stream_, heap_, scalars);
    msm::DigitList digits = msm::make_digit_list(heap_, plan.most_pairs(size));
    const cuda::DeviceBuffer<algebra::Xyzz<F>> buckets(heap_, plan.buckets());
    auto scratch = msm::make_scratch<F>(heap_, plan, plan.most_pairs(size), true);
    const auto modulus = ScalarField::modulus();
    const std::uint64_t limbs[4] = {modulus[0], modulus[1], modulus[2], modulus[3]};
    for (std::size_t first = 0; first < n; first += size) {
      const msm::Chunk chunk{first, std::min(size, n - first), n};
      msm::emit_digits(stream_, plan, reinterpret_cast<const msm::Scalar*>(device_scalars.data()), chunk,
                       limbs, digits);
      msm::sort_digits(stream_, plan, digits);
      msm::add_to_buckets<F>(stream_, plan, digits, first == 0, table.data(), buckets.data(), scratch);
    }
    msm::reduce_buckets<F>(stream_, plan, buckets.data(), scratch, result.data());
    return to_host(stream_, result.data(), 1).front();
  }
  void expect_equal_to_host(const std::vector<circuit::Scalar>& scalars,
                            const std::vector<GroupPoint>& points, const msm::Plan& plan,
                            const std::string& what) {
    const auto host =
        groth16::msm<GroupCurve, GroupPoint>(team_, UnalignedSpan<circuit::Scalar>(std::span(scalars)),
                                             {UnalignedSpan<GroupPoint>(std::span(points))});
    ASSERT_TRUE(on_device(scalars, points, plan) == host)
        << what << ", n = " << points.size() << ", window " << plan.window_bits << ", sets " << plan.sets;
  }
  static std::vector<circuit::Scalar> random_scalars(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<circuit::Scalar> scalars(n);
    for (auto& scalar : scalars) scalar = random_scalar<ScalarField>(random);
    return scalars;
  }

  groth16::ThreadTeam team_;
  cuda::DeviceHeap heap_{std::uint64_t{16} << 30};
  StreamOnUse stream_;
};
using algebra::Bls12_381;
using algebra::Bn254;
using Groups = testing::Types<Group<Bn254, Bn254::G1>, Group<Bn254, Bn254::G2>,
                              Group<Bls12_381, Bls12_381::G1>, Group<Bls12_381, Bls12_381::G2>>;
TYPED_TEST_SUITE(DeviceMsm, Groups);

TYPED_TEST(DeviceMsm, EqualsTheHostForEveryLengthToOneHundredAndThirty) {
  using C = typename TypeParam::Curve;
  const int bits = C::Fr::modulus_bits();
  const auto points = multiples_of_generator<C, typename TypeParam::Point>(130);
  const auto scalars = TestFixture::random_scalars(130, 1);
  for (std::size_t n = 0; n <= 130; ++n)
    TestFixture::expect_equal_to_host(
        {scalars.begin(), scalars.begin() + static_cast<std::ptrdiff_t>(n)},
        {points.begin(), points.begin() + static_cast<std::ptrdiff_t>(n)},
        msm::make_plan(bits, 4 + static_cast<int>(n % 9), 1 + static_cast<int>(n % 7)), "random");
}

TYPED_TEST(DeviceMsm, EqualsTheHostAroundPowersOfTwo) {
  using C = typename TypeParam::Curve;
  const auto points = multiples_of_generator<C, typename TypeParam::Point>((1 << 14) + 1);
  const auto scalars = TestFixture::random_scalars(points.size(), 2);
  for (const std::size_t n : {255, 256, 257, 4095, 4096, 4097, (1 << 14) - 1, 1 << 14, (1 << 14) + 1})
    for (const int tables : {1, 3, 64})
      TestFixture::expect_equal_to_host({scalars.begin(), scalars.begin() + static_cast<std::ptrdiff_t>(n)},
                                        {points.begin(), points.begin() + static_cast<std::ptrdiff_t>(n)},
                                        msm::plan_msm(C::Fr::modulus_bits(), n, n, tables), "random");
}

TYPED_TEST(DeviceMsm, EqualsTheHostOnSkewedScalars) {
  using C = typename TypeParam::Curve;
  using Fr = typename C::Fr;
  const std::size_t n = 5000;
  const auto points = multiples_of_generator<C, typename TypeParam::Point>(n);
  const auto all = [&](const circuit::Scalar& value) { return std::vector<circuit::Scalar>(n, value); };
  const circuit::Scalar minus_one = (-Fr::one()).to_limbs();
  const Fr half = Fr::from_u64(2).inverse();
  for (const int tables : {1, 64}) {
    const msm::Plan plan = msm::plan_msm(Fr::modulus_bits(), n, n, tables);
    const std::uint64_t edge = std::uint64_t{1} << (plan.window_bits - 1);
    TestFixture::expect_equal_to_host(all({0, 0, 0, 0}), points, plan, "all zero");
    TestFixture::expect_equal_to_host(all({1, 0, 0, 0}), points, plan, "all one");
    TestFixture::expect_equal_to_host(all(minus_one), points, plan, "all r-1");
    TestFixture::expect_equal_to_host(all({edge, 0, 0, 0}), points, plan, "all 2^(c-1)");
    TestFixture::expect_equal_to_host(all({edge + 1, 0, 0, 0}), points, plan, "all 2^(c-1)+1");
    TestFixture::expect_equal_to_host(all(half.to_limbs()), points, plan, "all (r+1)/2");
    TestFixture::expect_equal_to_host(all((-half).to_limbs()), points, plan, "all (r-1)/2");
    auto sparse = TestFixture::random_scalars(n, 3);
    for (std::size_t i = 0; i < n; ++i)
      if (i % 100 != 0) sparse[i] = {i % 3 == 0 ? 1u : 0u, 0, 0, 0};
    TestFixture::expect_equal_to_host(sparse, points, plan, "99 % zeros and ones");
  }
}

TYPED_TEST(DeviceMsm, HandlesEqualOppositeAndInfinitePoints) {
  using C = typename TypeParam::Curve;
  using Point = typename TypeParam::Point;
  auto points = multiples_of_generator<C, Point>(2000);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % 5 == 1) points[i] = points[i - 1];
    if (i % 5 == 2) points[i] = -points[i - 2];
    if (i % 5 == 3) points[i] = Point::infinity();
  }
  auto scalars = TestFixture::random_scalars(points.size(), 4);
  for (std::size_t i = 0; i + 2 < scalars.size(); i += 5) scalars[i + 1] = scalars[i + 2] = scalars[i];
  const int bits = C::Fr::modulus_bits();
  TestFixture::expect_equal_to_host(scalars, points, msm::make_plan(bits, 8, 64), "mixed");
  TestFixture::expect_equal_to_host(std::vector<circuit::Scalar>(points.size(), circuit::Scalar{3, 0, 0, 0}),
                                    points, msm::make_plan(bits, 8, 64), "one bucket");
  TestFixture::expect_equal_to_host(scalars, std::vector<Point>(points.size(), Point::infinity()),
                                    msm::make_plan(bits, 8, 64), "all infinity");
  std::vector<Point> cancelling;
  for (std::size_t i = 0; i < 500; ++i) {
    cancelling.push_back(points[0]);
    cancelling.push_back(-points[0]);
  }
  TestFixture::expect_equal_to_host(std::vector<circuit::Scalar>(1000, circuit::Scalar{5, 1, 0, 0}),
                                    cancelling, msm::make_plan(bits, 8, 64), "the sum is infinity");
}

TYPED_TEST(DeviceMsm, EqualsTheHostInChunksOfAnySize) {
  using C = typename TypeParam::Curve;
  const std::size_t n = 5000;
  const auto points = multiples_of_generator<C, typename TypeParam::Point>(n);
  auto scalars = TestFixture::random_scalars(n, 6);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 3 == 0) scalars[i] = {1, 0, 0, 0};
    if (i / 500 == 4) scalars[i] = {0, 0, 0, 0};  // a chunk without a digit
  }
  for (const std::size_t size : {499, 500, 1700, 4999, 5000})
    for (const auto& plan :
         {msm::make_plan(C::Fr::modulus_bits(), 5, 64), msm::make_plan(C::Fr::modulus_bits(), 12, 3)})
      ASSERT_TRUE(TestFixture::in_chunks(scalars, points, plan, size) ==
                  TestFixture::on_device(scalars, points, plan))
          << size << " scalars a chunk, window " << plan.window_bits;
}

TYPED_TEST(DeviceMsm, EqualsTheHostWithManyBuckets) {
  using C = typename TypeParam::Curve;
  const std::size_t n = 1 << 15;
  const auto points = multiples_of_generator<C, typename TypeParam::Point>(n);
  const auto scalars = TestFixture::random_scalars(n, 5);
  TestFixture::expect_equal_to_host(scalars, points, msm::make_plan(C::Fr::modulus_bits(), 18, 64),
                                    "2^17 buckets");
  TestFixture::expect_equal_to_host(scalars, points, msm::make_plan(C::Fr::modulus_bits(), 17, 4),
                                    "4 sets of 2^16");
}

}  // namespace
}  // namespace penstock::test
