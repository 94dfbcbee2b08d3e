// A·w and B·w on the device against sums taken entry by entry.
#include "cuda/spmv/spmv.hpp"

#include "tests/gpu/gpu_fixture.hpp"

namespace penstock::test {
namespace {

template <class C>
class DeviceRowsOf : public Gpu {};
using Curves = testing::Types<algebra::Bn254, algebra::Bls12_381>;
TYPED_TEST_SUITE(DeviceRowsOf, Curves);

TYPED_TEST(DeviceRowsOf, SumRowsOfAnySkewInAnyOrderWithRepeats) {
  using Fr = typename TypeParam::Fr;
  constexpr std::uint32_t domain = 256, wires = 5000;
  std::mt19937_64 random(11);
  std::vector<circuit::Scalar> witness(wires);
  for (auto& value : witness) value = random_scalar<Fr>(random);
  std::vector<circuit::Coefficient> coefficients;
  const auto add = [&](std::uint32_t matrix, std::uint32_t row, std::uint32_t signal, const Fr& value) {
    circuit::Coefficient c{};
    c.matrix = matrix;
    c.constraint = row;
    c.signal = signal;
    const auto limbs = value.montgomery_limbs();
    for (std::size_t k = 0; k < 4; ++k) c.value[k] = limbs[k];
    coefficients.push_back(c);
  };
  for (std::uint32_t i = 0; i < 100000; ++i)
    add(1, 17, i % wires, random_element<Fr>(random));  // one long row
  for (std::uint32_t i = 0; i < 2000; ++i)              // unsorted; row 3 of A stays empty
    add(i % 2, (i * 7919) % domain == 3 ? 4 : (i * 7919) % domain, (i * 104729) % wires,
        random_element<Fr>(random));
  for (int i = 0; i < 3; ++i) add(0, 9, 42, Fr::one());  // repeats add up
  for (std::uint32_t i = 0; i < 49; ++i) add(0, 200, i, Fr::zero());

  std::vector<Fr> expected(2 * domain, Fr::zero());
  for (const auto& c : coefficients) {
    typename Fr::Limbs value{};
    for (std::size_t k = 0; k < 4; ++k) value[k] = c.value[k];
    expected[c.matrix * domain + c.constraint] +=
        Fr::from_montgomery(value) * Fr::from_montgomery(witness[c.signal]);
  }
  cuda::DeviceHeap heap(std::uint64_t{1} << 30);
  const cuda::Stream stream;
  const auto rows = spmv::upload_rows<Fr>(
      stream, heap, UnalignedSpan<circuit::Coefficient>(std::span<const circuit::Coefficient>(coefficients)),
      domain);
  const auto device_witness = to_device(stream, heap, witness);
  const cuda::DeviceBuffer<Fr> out(heap, 2 * domain);
  spmv::multiply(stream, rows, reinterpret_cast<const msm::Scalar*>(device_witness.data()), out.data());
  EXPECT_TRUE(to_host(stream, out.data(), 2 * domain) == expected);
}

}  // namespace
}  // namespace penstock::test
