#include "common/circuit/proof.hpp"
#include "common/circuit/proving_key.hpp"
#include "tests/unit/circuit/section_file.hpp"

namespace penstock::circuit::testing {
namespace {

template <class Value>
std::string bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

Status check_file(const SectionFile& file, int threads = 2) {
  const TemporaryFile temporary(file.bytes());
  const auto key = ProvingKey::open(temporary.path());
  if (!key.ok()) return key.error();
  return check_points(**key, nullptr, threads);
}

/// One section of points, seen as a list of their places in its payload.
struct PointSection {
  std::uint32_t type;
  bool g2;
};
constexpr PointSection point_sections[] = {{3, false}, {5, false}, {6, false},
                                           {7, true},  {8, false}, {9, false}};

template <class C>
std::size_t bytes_in(const PointSection& section) {
  return section.g2 ? sizeof(typename C::G2) : sizeof(typename C::G1);
}

template <class Visit>
void for_both_curves(Visit visit) {
  for (const auto curve : curves) {
    SCOPED_TRACE(name(curve));
    algebra::with_curve(curve, visit);
  }
}

/// The first, the middle and the last point that is not infinity (B1 and B2 begin with infinities).
std::vector<std::size_t> some_finite(const std::string& payload, std::size_t size) {
  std::vector<std::size_t> finite;
  for (std::size_t i = 0; i < payload.size() / size; ++i)
    if (payload.compare(i * size, size, std::string(size, '\0')) != 0) finite.push_back(i);
  return {finite.front(), finite[finite.size() / 2], finite.back()};
}

/// (0, 2): of order 3, on the curve y^2 = x^3 + 4.
algebra::Bls12_381::G1 order_three() {
  using Fp = algebra::Bls12_381::Fp;
  return {Fp::zero(), Fp::from_u64(2)};
}

/// Some point of the twist: with a large cofactor it is outside the subgroup, which the tests verify.
template <class C>
typename C::G2 twist_point(std::uint64_t x) {
  for (;; ++x) {
    const auto abscissa = C::Fp2::from_u64(x);
    if (const auto y = (abscissa.square() * abscissa + C::g2_b()).sqrt()) return {abscissa, *y};
  }
}

TEST(CheckPoints, EveryVectorsKeyPassesInBothSectionOrders) {
  for (const auto curve : curves)
    for (const char* file :
         {"mul.zkey", "mul.0.zkey", "chain.zkey", "chain.0.zkey", "nopub.zkey", "nopub.0.zkey", "unused.zkey",
          "unused.0.zkey", "square.zkey", "linear.zkey", "f_reversed.zkey", "range64/circuit.zkey"}) {
      const auto key = ProvingKey::open(vector_path(curve, file));
      ASSERT_TRUE(key.ok()) << file;
      const auto status = check_points(**key, nullptr, 2);
      EXPECT_TRUE(status.ok()) << file << to_string(status.error());
    }
}

TEST(CheckPoints, TheOffCurveVectorIsNamedWithThePointsOffset) {
  for (const auto curve : curves) {
    const auto key = ProvingKey::open(vector_path(curve, "f_offcurveA.zkey"));
    ASSERT_TRUE(key.ok());
    const auto status = check_points(**key, nullptr, 2);
    ASSERT_EQ(outcome(status), "point_off_curve");
    EXPECT_TRUE(status.error().offset.has_value());
    EXPECT_FALSE(status.error().file.empty());
  }
}

TEST(CheckPoints, EveryMalformedPointOfEverySectionIsFoundWhereItStands) {
  for_both_curves([]<class C>(std::type_identity<C>) {
    const auto good = SectionFile::take_apart(vector_text(C::id, "square.zkey"));
    for (const auto& section : point_sections) {
      const auto size = bytes_in<C>(section);
      const auto coordinate = C::Fp::size_bytes;
      for (const std::size_t index : some_finite(SectionFile(good).payload(section.type), size)) {
        const auto place = index * size;
        const auto point = SectionFile(good).payload(section.type).substr(place, size);
        const auto expect = [&](const std::string& changed, const char* code, const char* what) {
          auto file = good;
          file.poke(section.type, place, changed);
          const auto status = check_file(file);
          ASSERT_EQ(outcome(status), code) << what << " in section " << section.type << " at " << index;
          EXPECT_EQ(status.error().offset, good.offset_of(section.type) + place) << what;
        };
        auto flipped = point;
        flipped[0] ^= 1;
        expect(flipped, "point_off_curve", "one bit changed");
        for (std::size_t limb = 0; limb < size / coordinate; ++limb) {
          auto large = point;
          large.replace(limb * coordinate, coordinate, bytes_of(C::Fp::modulus()));
          expect(large, "not_canonical", "a coordinate equal to q");
          large.replace(limb * coordinate, coordinate, std::string(coordinate, '\xFF'));
          expect(large, "not_canonical", "a coordinate of all ones");
        }
        auto half = point;
        half.replace(0, size / 2, std::string(size / 2, '\0'));
        expect(half, "point_off_curve", "x zero");
        half = point;
        half.replace(size / 2, size / 2, std::string(size / 2, '\0'));
        expect(half, "point_off_curve", "y zero");
        if (section.g2) {
          const auto swapped = point.substr(coordinate, coordinate) + point.substr(0, coordinate) +
                               point.substr(3 * coordinate, coordinate) +
                               point.substr(2 * coordinate, coordinate);
          expect(swapped, "point_off_curve", "the limbs of Fp2 swapped");
        }
      }
    }
  });
}

TEST(CheckPoints, InfinityMayStandInTheSectionsButNotInTheHeader) {
  for_both_curves([]<class C>(std::type_identity<C>) {
    const auto good = SectionFile::take_apart(vector_text(C::id, "square.zkey"));
    for (const auto& section : point_sections) {
      auto file = good;
      file.poke(section.type, 0, std::string(bytes_in<C>(section), '\0'));
      EXPECT_EQ(outcome(check_file(file)), "ok") << section.type;
    }
    std::size_t place =
        SectionFile(good).payload(2).size() - 3 * sizeof(typename C::G1) - 3 * sizeof(typename C::G2);
    for (const bool g2 : {false, false, true, true, false, true}) {
      const auto size = g2 ? sizeof(typename C::G2) : sizeof(typename C::G1);
      auto file = good;
      file.poke(2, place, std::string(size, '\0'));
      const auto status = check_file(file);
      EXPECT_EQ(outcome(status), "point_off_curve");
      EXPECT_EQ(status.error().offset, good.offset_of(2) + place);
      file = good;
      file.payload(2)[place] ^= 1;
      EXPECT_EQ(outcome(check_file(file)), "point_off_curve");
      place += size;
    }
  });
}

TEST(CheckPoints, APointOfOrderThreeIsRefusedInEverySectionOfBls12381) {
  const auto good = SectionFile::take_apart(vector_text(CurveId::bls12_381, "square.zkey"));
  for (const auto& section : point_sections) {
    if (section.g2) continue;
    auto file = good;
    file.poke(section.type, sizeof(algebra::Bls12_381::G1), bytes_of(order_three()));
    const auto status = check_file(file);
    ASSERT_EQ(outcome(status), "point_not_in_subgroup") << section.type;
    EXPECT_EQ(status.error().offset, good.offset_of(section.type) + sizeof(algebra::Bls12_381::G1));
  }
}

TEST(CheckPoints, ATwistPointOutsideTheSubgroupIsRefusedOnBothCurves) {
  for_both_curves([]<class C>(std::type_identity<C>) {
    const auto point = twist_point<C>(1);
    ASSERT_TRUE(C::on_curve(point));
    ASSERT_FALSE(C::in_subgroup(point));
    const auto good = SectionFile::take_apart(vector_text(C::id, "square.zkey"));
    auto file = good;
    file.poke(7, 5 * sizeof(point), bytes_of(point));
    const auto status = check_file(file);
    ASSERT_EQ(outcome(status), "point_not_in_subgroup");
    EXPECT_EQ(status.error().offset, good.offset_of(7) + 5 * sizeof(point));
    file = good;
    file.poke(2, SectionFile(good).payload(2).size() - sizeof(point), bytes_of(point));
    EXPECT_EQ(outcome(check_file(file)), "point_not_in_subgroup") << "delta2";
  });
}

TEST(CheckPoints, TheFindingDoesNotDependOnTheNumberOfThreads) {
  auto file = SectionFile::take_apart(vector_text(CurveId::bn254, "square.zkey"));
  file.payload(5)[64 * 200] ^= 1;
  file.payload(5)[64 * 20] ^= 1;
  for (const int threads : {-1, 0, 1, 2, 3, 8}) {
    const auto status = check_file(file, threads);
    ASSERT_EQ(outcome(status), "point_off_curve");
    EXPECT_EQ(status.error().offset, file.offset_of(5) + 64 * 20);
  }
}

TEST(CheckPoints, ThreeOrderThreePointsThatSumToInfinityAreRefusedEveryTime) {
  auto file = SectionFile::take_apart(vector_text(CurveId::bls12_381, "square.zkey"));
  for (const std::size_t place : {7U, 80U, 200U})
    file.poke(5, place * sizeof(algebra::Bls12_381::G1), bytes_of(order_three()));
  const TemporaryFile temporary(file.bytes());
  const auto key = ProvingKey::open(temporary.path());
  ASSERT_TRUE(key.ok());
  for (int i = 0; i < 100; ++i) {
    const auto status = check_points(**key, nullptr, 2);
    ASSERT_EQ(outcome(status), "point_not_in_subgroup");
    ASSERT_EQ(status.error().offset, file.offset_of(5) + 7 * sizeof(algebra::Bls12_381::G1));
  }
}

}  // namespace
}  // namespace penstock::circuit::testing
