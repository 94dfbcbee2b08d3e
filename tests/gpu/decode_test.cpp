// Packed witnesses decoded on the device against the host's decoder, whole and damaged.
#include "cuda/witness/decode.hpp"
#include "cuda/witness/check_witness.hpp"

#include "common/circuit/packed_witness.hpp"
#include "tests/gpu/gpu_fixture.hpp"

namespace penstock::test {
namespace {

class DeviceDecoding : public Gpu {
 protected:
  /// A witness of every width: bits, bytes, up to full-width values, `full_percent` of them.
  static std::vector<circuit::Scalar> mixed(std::size_t wires, unsigned full_percent) {
    std::mt19937_64 random(wires * 100 + full_percent);
    std::vector<circuit::Scalar> values(wires);
    for (auto& value : values) {
      const auto kind = random() % 100;
      if (kind < full_percent)
        value = random_scalar<algebra::Bn254::Fr>(random);
      else if (kind < full_percent + 8)
        value = {random() >> (8 * (random() % 8)), 0, 0, 0};
      else
        value = {random() & 1, 0, 0, 0};
    }
    values[0] = {1, 0, 0, 0};
    return values;
  }
  static std::vector<std::byte> pack(const std::vector<circuit::Scalar>& values) {
    std::vector<std::byte> packed(circuit::packed_size_bound(values.size()));
    packed.resize(
        circuit::pack_witness({CurveId::bn254, UnalignedSpan<circuit::Scalar>(std::span(values))}, packed));
    return packed;
  }
  std::uint32_t decode(const std::vector<std::byte>& packed, std::size_t wires,
                       std::vector<circuit::Scalar>& values) {
    const auto bytes = to_device(stream_, heap_, packed);
    const cuda::DeviceBuffer<msm::Scalar> out(heap_, wires);
    const cuda::DeviceBuffer<std::uint32_t> verdict(heap_, 1);
    cuda::fill_zero(stream_, verdict.data(), sizeof(std::uint32_t));
    witness::decode_packed(stream_, bytes.data(), packed.size(), wires, out.data(), verdict.data());
    values = to_host(stream_, reinterpret_cast<const circuit::Scalar*>(out.data()), wires);
    return to_host(stream_, verdict.data(), 1).front();
  }

  cuda::DeviceHeap heap_{std::uint64_t{4} << 30};
  StreamOnUse stream_;
};

TEST_F(DeviceDecoding, EqualsTheWitnessForEveryMixAndLength) {
  for (const std::size_t wires : {1, 2, 63, 64, 65, 130, 1023, 1024, 1025, 5000, 100000})
    for (const unsigned full : {0u, 2u, 50u, 100u}) {
      const auto values = mixed(wires, full);
      std::vector<circuit::Scalar> decoded;
      EXPECT_EQ(decode(pack(values), wires, decoded), 0u);
      ASSERT_TRUE(decoded == values) << wires << " wires, " << full << " % full";
    }
}

TEST_F(DeviceDecoding, CountsWhatIsNeitherSmallNorASmallNegative) {
  using Fr = algebra::Bn254::Fr;
  const auto r = Fr::modulus();
  const std::uint64_t modulus[4] = {r[0], r[1], r[2], r[3]};
  const auto from_modulus = [&](std::uint64_t plus) {
    circuit::Scalar value = r;
    value[0] += plus;
    return value;
  };
  const std::uint64_t edge = msm::narrow_below;
  std::vector<circuit::Scalar> narrow = {{0, 0, 0, 0},
                                         {1, 0, 0, 0},
                                         {edge - 1, 0, 0, 0},
                                         from_modulus(-edge + 1),
                                         from_modulus(-std::uint64_t{1})};
  const std::vector<circuit::Scalar> wide = {{edge, 0, 0, 0},
                                             {0, 1, 0, 0},
                                             {1, 0, 0, 1},
                                             from_modulus(-edge),
                                             from_modulus(0),
                                             from_modulus(1),
                                             {~0ull, ~0ull, ~0ull, ~0ull}};
  std::vector<circuit::Scalar> values = narrow;
  values.insert(values.end(), wide.begin(), wide.end());
  for (int i = 0; i < 700; ++i) values.push_back({1, 0, 0, 0});
  values.push_back({edge, 0, 0, 0});
  const auto device = to_device(stream_, heap_, values);
  const cuda::DeviceBuffer<std::uint32_t> found(heap_, 1);
  cuda::fill_zero(stream_, found.data(), sizeof(std::uint32_t));
  witness::count_wide(stream_, reinterpret_cast<const msm::Scalar*>(device.data()), values.size(), modulus,
                      found.data());
  EXPECT_EQ(to_host(stream_, found.data(), 1).front(), wide.size() + 1);
}

TEST_F(DeviceDecoding, AnswersDamageWithAVerdictAndStaysInBounds) {
  const auto values = mixed(3000, 10);
  const auto packed = pack(values);
  std::mt19937_64 random(5);
  int refused = 0;
  for (int round = 0; round < 500; ++round) {
    auto damaged = packed;
    damaged[24 + random() % (damaged.size() - 24)] ^= static_cast<std::byte>(1u << (random() % 8));
    std::vector<circuit::Scalar> decoded, expected(values.size());
    const bool host_refuses = !circuit::unpack_witness(damaged, expected).ok();
    const std::uint32_t verdict = decode(damaged, values.size(), decoded);
    if (verdict != 0) ++refused;
    if (!host_refuses && verdict == 0) {
      ASSERT_TRUE(decoded == expected);
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace penstock::test
