#include "common/circuit/packed_witness.hpp"
#include "common/base/checksum.hpp"

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "common/algebra/lanes_path.hpp"
#include "common/circuit/curve_primes.hpp"
#include "common/circuit/packed_layout.hpp"
#include "tests/unit/circuit/section_file.hpp"

namespace penstock::circuit::testing {
namespace {

using Wires = std::vector<Scalar>;

/// What a witness is made of; one row makes a new kind of witness part of every test.
struct Mixture {
  const char* name;
  double full, small;  ///< shares of full-width values and of values below 2^small_bits
  int small_bits;
  double smallest_ratio;  ///< raw bytes over packed bytes
};
constexpr Mixture mixtures[] = {
    {"all bits", 0, 0, 0, 230},      {"2 % full", 0.02, 0, 0, 30},
    {"2 % bytes", 0, 0.02, 8, 150},  {"half bytes", 0, 0.5, 8, 18},
    {"half 64 bits", 0, 0.5, 64, 6}, {"a bit of everything", 0.1, 0.4, 32, 5},
    {"half full", 0.5, 0, 0, 1.8},   {"95 % full", 0.95, 0.02, 16, 1 / 1.01},
    {"all full", 1, 0, 0, 1 / 1.01},
};

Scalar random_full(std::mt19937_64& random, const Scalar& modulus) {
  for (;;) {
    const Scalar value = {random(), random(), random(), random() >> 1};
    if (is_below(value, modulus)) return value;
  }
}

Wires wires_of(const Mixture& mixture, std::size_t count, CurveId curve) {
  std::mt19937_64 random(count);
  std::uniform_real_distribution<double> share(0, 1);
  const auto modulus = scalar_modulus(curve);
  Wires wires(count);
  for (auto& wire : wires) {
    const double kind = share(random);
    if (kind < mixture.full)
      wire = random_full(random, modulus);
    else if (kind < mixture.full + mixture.small)
      wire = {random() >> (64 - mixture.small_bits), 0, 0, 0};
    else
      wire = {random() & 1, 0, 0, 0};
  }
  wires[0] = {1, 0, 0, 0};
  return wires;
}

std::vector<std::byte> packed_of(const Wires& wires, CurveId curve) {
  std::vector<std::byte> packed(packed_size_bound(wires.size()), std::byte{0xA5});
  packed.resize(pack_witness({curve, std::span(wires)}, packed));
  return packed;
}

std::string unpack_outcome(std::span<const std::byte> packed, std::size_t wires) {
  Wires out(wires);
  return outcome(unpack_witness(packed, out));
}

constexpr std::size_t interesting_counts[] = {1,    2,    63,   64,   65,   127,  1000,  1023,
                                              1024, 1025, 1087, 2047, 2048, 2049, 10000, 65536};

TEST(PackedWitness, EveryMixtureAndLengthComesBackOnBothCurves) {
  for (const auto curve : curves)
    for (const auto& mixture : mixtures)
      for (const auto count : interesting_counts) {
        const auto wires = wires_of(mixture, count, curve);
        const auto packed = packed_of(wires, curve);
        ASSERT_EQ(packed.size() % 8, 0U);
        Wires out(count, Scalar{7, 7, 7, 7});
        const auto status = unpack_witness(packed, out);
        ASSERT_TRUE(status.ok()) << mixture.name << " of " << count << to_string(status.error());
        ASSERT_EQ(out, wires) << mixture.name << " of " << count;
      }
}

/// 3,048 wires: whole words of 64, which lanes take, and a rest, which they do not.
TEST(PackedWitness, LanesPackTheSameBytesAsOneWireAtATime) {
  for (const Mixture& mixture : mixtures) {
    const Wires wires = wires_of(mixture, 3048, CurveId::bn254);
    algebra::select_lanes(algebra::LanePath::scalar);
    const auto one_by_one = packed_of(wires, CurveId::bn254);
    algebra::select_lanes(algebra::best_lanes());
    EXPECT_EQ(packed_of(wires, CurveId::bn254), one_by_one) << mixture.name;
  }
}

TEST(PackedWitness, PackedWithAChecksumItIsTheSameBytesAndTheChecksumIsTheirs) {
  for (const auto& mixture : mixtures)
    for (const auto count : interesting_counts) {
      const auto wires = wires_of(mixture, count, CurveId::bls12_381);
      const auto plain = packed_of(wires, CurveId::bls12_381);
      std::vector<std::byte> checked(packed_size_bound(count));
      const CheckedPack pack =
          pack_witness_checked({CurveId::bls12_381, std::span<const Scalar>(wires)}, checked);
      checked.resize(pack.used_bytes);
      ASSERT_EQ(checked, plain) << mixture.name << " of " << count;
      EXPECT_EQ(pack.checksum, checksum_of(plain)) << mixture.name << " of " << count;
    }
}

TEST(PackedWitness, EveryMixtureIsAsSmallAsPromised) {
  for (const auto& mixture : mixtures) {
    const auto wires = wires_of(mixture, 1 << 18, CurveId::bls12_381);
    const auto packed = packed_of(wires, CurveId::bls12_381);
    const double ratio = static_cast<double>(wires.size() * 32) / static_cast<double>(packed.size());
    EXPECT_GE(ratio, mixture.smallest_ratio) << mixture.name;
    RecordProperty(mixture.name, std::to_string(ratio));
  }
}

TEST(PackedWitness, NeverAboveTheBoundNorOnePercentOverRaw) {
  for (const auto& mixture : mixtures)
    for (const auto count : interesting_counts) {
      const auto packed = packed_of(wires_of(mixture, count, CurveId::bn254), CurveId::bn254);
      EXPECT_LE(packed.size(), packed_size_bound(count));
      EXPECT_LE(static_cast<double>(packed.size()), 1.01 * 32 * static_cast<double>(count) + 64) << count;
    }
}

TEST(PackedWitness, ValuesAtTheEdgeOfEachWidthComeBack) {
  const auto modulus = scalar_modulus(CurveId::bn254);
  Wires wires = {{1, 0, 0, 0}};
  for (const std::uint64_t edge : {0ULL, 1ULL, 2ULL, 255ULL, 256ULL, 65535ULL, 65536ULL, 4294967295ULL,
                                   4294967296ULL, 18446744073709551615ULL})
    for (int i = 0; i < 3; ++i) wires.push_back({edge, 0, 0, 0});
  for (std::size_t limb = 1; limb < 4; ++limb) {
    Scalar value{};
    value[limb] = 1;
    wires.push_back(value);
  }
  wires.push_back({modulus[0] - 1, modulus[1], modulus[2], modulus[3]});
  Wires out(wires.size());
  ASSERT_TRUE(unpack_witness(packed_of(wires, CurveId::bn254), out).ok());
  EXPECT_EQ(out, wires);
}

TEST(PackedWitness, BlocksDecodeAloneInAnyOrderAndInParallel) {
  const auto wires = wires_of(mixtures[5], 20 * 1024 + 7, CurveId::bls12_381);
  const auto packed = packed_of(wires, CurveId::bls12_381);
  const auto shape = packed_shape(packed);
  ASSERT_TRUE(shape.ok());
  ASSERT_EQ(shape->blocks, 21U);
  EXPECT_EQ(shape->wires, wires.size());
  EXPECT_EQ(shape->curve, CurveId::bls12_381);
  Wires out(wires.size());
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t block = shape->blocks; block-- > 0;)
      threads.emplace_back([&, block] {
        const auto first = block * packed_block_wires;
        const auto count = std::min(packed_block_wires, out.size() - first);
        EXPECT_TRUE(unpack_block(packed, *shape, block, std::span(out).subspan(first, count)).ok());
      });
  }
  EXPECT_EQ(out, wires);
}

TEST(PackedWitness, UnalignedRawValuesArePacked) {
  const auto wires = wires_of(mixtures[5], 3000, CurveId::bn254);
  std::vector<std::byte> shifted(1 + wires.size() * sizeof(Scalar));
  std::memcpy(shifted.data() + 1, wires.data(), wires.size() * sizeof(Scalar));
  const WitnessView view{CurveId::bn254,
                         UnalignedSpan<Scalar>(std::span<const std::byte>(shifted).subspan(1))};
  std::vector<std::byte> packed(packed_size_bound(wires.size()));
  packed.resize(pack_witness(view, packed));
  EXPECT_EQ(packed, packed_of(wires, CurveId::bn254));
}

TEST(PackedWitness, TheVectorsComeBackAndBitsShrink) {
  for (const auto curve : curves)
    for (const auto* file :
         {"mul.wtns", "chain.wtns", "square.wtns", "linear.wtns", "range64/witness.wtns"}) {
      const auto witness = Witness::read(vector_path(curve, file));
      ASSERT_TRUE(witness.ok());
      Wires wires(witness->view().values.size());
      for (std::size_t i = 0; i < wires.size(); ++i) wires[i] = witness->view().values[i];
      Wires out(wires.size());
      ASSERT_TRUE(unpack_witness(packed_of(wires, curve), out).ok());
      EXPECT_EQ(out, wires) << file;
    }
}

TEST(PackedWitness, APackedWitnessCutAnywhereIsRefused) {
  const auto wires = wires_of(mixtures[5], 1100, CurveId::bn254);
  const auto packed = packed_of(wires, CurveId::bn254);
  for (std::size_t size = 0; size < packed.size(); ++size)
    ASSERT_NE(unpack_outcome(std::span(packed).first(size), wires.size()), "ok") << size;
  auto longer = packed;
  longer.resize(longer.size() + 8);
  EXPECT_EQ(unpack_outcome(longer, wires.size()), "size_mismatch");
  EXPECT_EQ(unpack_outcome(packed, wires.size() + 1), "size_mismatch");
}

/// Overwrites bytes of a good packed witness: 1,024 + 76 wires.
template <class Integer>
std::string outcome_with(std::size_t place, Integer value) {
  const auto wires = wires_of(mixtures[5], 1100, CurveId::bn254);
  auto packed = packed_of(wires, CurveId::bn254);
  std::memcpy(packed.data() + place, &value, sizeof(value));
  return unpack_outcome(packed, wires.size());
}

TEST(PackedWitness, EachHeaderFieldIsChecked) {
  EXPECT_EQ(outcome_with<std::uint32_t>(0, 0), "bad_magic");
  EXPECT_EQ(outcome_with<std::uint16_t>(4, 2), "unsupported_version");
  EXPECT_EQ(outcome_with<std::uint8_t>(6, 2), "bad_format");
  EXPECT_EQ(outcome_with<std::uint8_t>(7, 1), "bad_format");
  EXPECT_EQ(outcome_with<std::uint64_t>(8, 0), "count_out_of_range");
  EXPECT_EQ(outcome_with<std::uint64_t>(8, UINT64_MAX), "count_out_of_range");
  EXPECT_EQ(outcome_with<std::uint64_t>(8, 1024), "size_mismatch");
  EXPECT_EQ(outcome_with<std::uint64_t>(8, 1101), "size_mismatch");
  EXPECT_EQ(outcome_with<std::uint32_t>(16, 1), "size_mismatch");
  EXPECT_EQ(outcome_with<std::uint32_t>(16, UINT32_MAX), "size_mismatch");
  EXPECT_EQ(outcome_with<std::uint32_t>(20, 1), "bad_format");
  for (const std::uint32_t offset : {0U, 4U, 6U, 1U << 20, UINT32_MAX})
    for (std::size_t entry = 0; entry < 3; ++entry)
      EXPECT_EQ(outcome_with<std::uint32_t>(24 + 4 * entry, offset), "size_mismatch")
          << entry << " " << offset;
}

TEST(PackedWitness, AnyFlippedBitGivesADifferentWitnessOrANamedError) {
  const auto wires = wires_of(mixtures[5], 1100, CurveId::bn254);
  const auto packed = packed_of(wires, CurveId::bn254);
  std::size_t unnoticed = 0;
  for (std::size_t place = 0; place < packed.size(); ++place)
    for (int bit = 0; bit < 8; ++bit) {
      auto broken = packed;
      broken[place] ^= std::byte{1} << bit;
      Wires out(wires.size());
      if (unpack_witness(broken, out).ok() && out == wires) ++unnoticed;
    }
  EXPECT_LE(unnoticed, 8U * (8 + 2 * 8)) << "only padding may change without effect";
}

/// One block of `wires` wires with this head and body, as a whole packed witness.
std::vector<std::byte> one_block(std::uint64_t wires, std::uint64_t head, const std::string& body) {
  std::string text = little_endian(packed::magic) + little_endian(packed::version) + std::string(2, '\0') +
                     little_endian(wires) + little_endian(std::uint32_t{1}) + std::string(4, '\0');
  const std::size_t begin = text.size() + 8;
  text += little_endian(static_cast<std::uint32_t>(begin / 8)) +
          little_endian(static_cast<std::uint32_t>((begin + 8 + body.size() + 7) / 8));
  text += little_endian(head) + body;
  text.resize((text.size() + 7) / 8 * 8);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::uint64_t head_of(std::uint64_t full, std::uint64_t byte_values) {
  return full | byte_values << 44;
}
std::string index(std::uint16_t wire) {
  return little_endian(wire);
}

TEST(PackedWitness, EachFieldOfABlockIsChecked) {
  const std::string one(1, '\1');
  const std::string bits = one + std::string(7, '\0');
  const std::string full = std::string(31, '\2') + '\0';
  const std::string huge(32, '\xFF');
  const auto modulus = scalar_modulus(CurveId::bn254);
  const std::string prime(reinterpret_cast<const char*>(modulus.data()), sizeof(modulus));
  const struct {
    const char* what;
    std::uint64_t wires, head;
    std::string body;
    const char* expected;
  } rows[] = {
      {"the good one", 10, head_of(1, 1), bits + full + index(5) + index(7) + one, "ok"},
      {"a raw one", 2, packed::raw_head, one + std::string(31, '\0') + full, "ok"},
      {"an index beyond the wires", 10, head_of(1, 0), bits + full + index(10), "index_out_of_range"},
      {"an index far beyond", 10, head_of(1, 0), bits + full + index(0xFFFF), "index_out_of_range"},
      {"one wire in two widths", 10, head_of(1, 1), bits + full + index(5) + index(5) + one, "bad_format"},
      {"one wire twice", 10, head_of(2, 0), bits + full + full + index(5) + index(5), "bad_format"},
      {"indices out of order", 10, head_of(2, 0), bits + full + full + index(6) + index(5), "bad_format"},
      {"a wire with a value and a bit", 10, head_of(1, 0), bits + full + index(0), "bad_format"},
      {"a bit beyond the wires", 10, head_of(0, 0), one + "\4" + std::string(6, '\0'), "bad_format"},
      {"wire 0 is 0", 10, head_of(0, 0), std::string(8, '\0'), "not_canonical"},
      {"wire 0 is 3", 10, head_of(0, 1), std::string(8, '\0') + index(0) + '\3', "not_canonical"},
      {"a value above the prime", 10, head_of(1, 0), bits + huge + index(5), "not_canonical"},
      {"a value equal to the prime", 10, head_of(1, 0), bits + prime + index(5), "not_canonical"},
      {"a raw value above the prime", 2, packed::raw_head, one + std::string(31, '\0') + huge,
       "not_canonical"},
      {"a raw block too long", 2, packed::raw_head, one + std::string(95, '\0'), "size_mismatch"},
      {"a raw block with counts", 2, packed::raw_head | 1, one + std::string(31, '\0') + full,
       "size_mismatch"},
      {"unknown bits in the head", 10, std::uint64_t{1} << 56, bits, "bad_format"},
      {"the head's last bit", 10, std::uint64_t{1} << 63, bits, "bad_format"},
      {"more values than wires", 1, head_of(1, 1), bits + full + index(0) + index(0) + one, "size_mismatch"},
      {"counts beyond the size", 10, head_of(2, 0), bits + full + index(5), "size_mismatch"},
      {"counts of 2047", 1024, ~std::uint64_t{0} >> 9, bits, "size_mismatch"},
      {"counts below the size", 10, head_of(0, 0), bits + full, "size_mismatch"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(unpack_outcome(one_block(row.wires, row.head, row.body), row.wires), row.expected) << row.what;
}

}  // namespace
}  // namespace penstock::circuit::testing
