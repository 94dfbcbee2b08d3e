#include "common/circuit/proving_key.hpp"

#include <algorithm>
#include <fstream>

#include "common/circuit/zkey_layout.hpp"
#include "tests/unit/circuit/section_file.hpp"

namespace penstock::circuit::testing {
namespace {

TEST(Zkey, EveryMalformedVectorGetsItsNamedCodeOnOpen) {
  const struct {
    const char* file;
    const char* expected;
  } rows[] = {
      {"f_coef_signal.zkey", "index_out_of_range"},
      {"f_domain500.zkey", "bad_domain"},
      {"f_nosec9.zkey", "section_missing"},
      {"f_npub.zkey", "count_out_of_range"},
      {"f_offcurveA.zkey", "ok"},
      {"f_plonk.zkey", "unsupported_protocol"},
      {"f_reversed.zkey", "ok"},
      {"f_shortH.zkey", "size_mismatch"},
      {"f_trunc.zkey", "file_truncated"},
      {"f_v9.zkey", "unsupported_version"},
  };
  for (const auto curve : curves)
    for (const auto& row : rows)
      EXPECT_EQ(outcome(ProvingKey::open(vector_path(curve, row.file))), row.expected) << row.file;
}

TEST(Zkey, BothSectionOrdersOpenWithTheSameShape) {
  for (const auto curve : curves)
    for (const char* circuit : {"mul", "chain", "nopub", "unused"}) {
      const auto before = ProvingKey::open(vector_path(curve, std::string(circuit) + ".0.zkey"));
      const auto after = ProvingKey::open(vector_path(curve, std::string(circuit) + ".zkey"));
      ASSERT_TRUE(before.ok()) << to_string(before.error());
      ASSERT_TRUE(after.ok()) << to_string(after.error());
      EXPECT_EQ((*before)->shape().variables, (*after)->shape().variables);
      EXPECT_EQ((*before)->coefficients().size(), (*after)->coefficients().size());
      EXPECT_EQ((*before)->contributions(), 0U);
      EXPECT_EQ((*after)->contributions(), 1U);
    }
}

TEST(Zkey, TheShapeIsThatOfTheCircuit) {
  for (const auto curve : curves) {
    const auto key = ProvingKey::open(vector_path(curve, "chain.zkey"));
    ASSERT_TRUE(key.ok());
    EXPECT_EQ((*key)->shape().curve, curve);
    EXPECT_EQ((*key)->shape().variables, 303U);
    EXPECT_EQ((*key)->shape().publics, 2U);
    EXPECT_EQ((*key)->shape().domain_size, 512U);
    EXPECT_EQ((*key)->shape().domain_log2, 9);
    EXPECT_FALSE((*key)->insecure_dev());
  }
}

/// Where the fields of section 2 lie in its payload.
struct HeaderPlaces {
  std::size_t n8q = 0, q = 4, n8r, r, variables, publics, domain, points;
  explicit HeaderPlaces(CurveId curve) {
    const std::size_t q_bytes = curve == CurveId::bn254 ? 32 : 48;
    n8r = 4 + q_bytes;
    r = n8r + 4;
    variables = r + 32;
    publics = variables + 4;
    domain = publics + 4;
    points = domain + 4;
  }
};

/// The `chain` key with a u32 changed.
Status with_u32(CurveId curve, std::uint32_t section, std::size_t place, std::uint32_t value) {
  auto file = SectionFile::take_apart(vector_text(curve, "chain.zkey"));
  file.poke(section, place, little_endian(value));
  return open_bytes(formats()[1], file.bytes());
}

TEST(Zkey, EveryOtherProtocolIsRefusedAndTheKnownOnesAreNamed) {
  for (const auto curve : curves) {
    for (const std::uint32_t protocol : {0U, 2U, 3U, 10U, 255U, 257U, UINT32_MAX})
      EXPECT_EQ(outcome(with_u32(curve, 1, 0, protocol)), "unsupported_protocol") << protocol;
    EXPECT_NE(with_u32(curve, 1, 0, 2).error().what.find("plonk"), std::string::npos);
    EXPECT_NE(with_u32(curve, 1, 0, 10).error().what.find("fflonk"), std::string::npos);
  }
}

TEST(Zkey, EveryFieldOfTheHeaderIsChecked) {
  for (const auto curve : curves) {
    const HeaderPlaces at(curve);
    const struct {
      const char* what;
      std::size_t place;
      std::uint32_t value;
      const char* expected;
    } rows[] = {
        {"n8q 0", at.n8q, 0, "wrong_prime"},
        {"n8q 31", at.n8q, 31, "wrong_prime"},
        {"n8q 2^31 - 1", at.n8q, 0x7FFFFFFF, "wrong_prime"},
        {"n8q of the other curve", at.n8q, curve == CurveId::bn254 ? 48U : 32U, "wrong_prime"},
        {"q", at.q, 5, "wrong_prime"},
        {"the end of q", at.n8r - 4, 5, "wrong_prime"},
        {"n8r 0", at.n8r, 0, "wrong_prime"},
        {"n8r 48", at.n8r, 48, "wrong_prime"},
        {"n8r 2^32 - 1", at.n8r, UINT32_MAX, "wrong_prime"},
        {"r", at.r, 5, "wrong_prime"},
        {"no variables", at.variables, 0, "count_out_of_range"},
        {"one variable less", at.variables, 302, "size_mismatch"},
        {"one variable more", at.variables, 304, "size_mismatch"},
        {"as many variables as publics", at.variables, 2, "count_out_of_range"},
        {"2^32 - 1 variables", at.variables, UINT32_MAX, "size_mismatch"},
        {"one public less", at.publics, 1, "size_mismatch"},
        {"one public more", at.publics, 3, "size_mismatch"},
        {"as many publics as variables", at.publics, 303, "count_out_of_range"},
        {"2^32 - 1 publics", at.publics, UINT32_MAX, "count_out_of_range"},
        {"domain 0", at.domain, 0, "bad_domain"},
        {"domain 1", at.domain, 1, "bad_domain"},
        {"domain 2, no room for the publics", at.domain, 2, "bad_domain"},
        {"domain 256", at.domain, 256, "size_mismatch"},
        {"domain 511", at.domain, 511, "bad_domain"},
        {"domain 513", at.domain, 513, "bad_domain"},
        {"domain 1024", at.domain, 1024, "size_mismatch"},
        {"domain 2^31", at.domain, 1U << 31, curve == CurveId::bn254 ? "bad_domain" : "size_mismatch"},
        {"domain 2^29", at.domain, 1U << 29, curve == CurveId::bn254 ? "bad_domain" : "size_mismatch"},
        {"domain 2^28", at.domain, 1U << 28, "size_mismatch"},
        {"domain 2^32 - 1", at.domain, UINT32_MAX, "bad_domain"},
    };
    for (const auto& row : rows) {
      const auto status = with_u32(curve, 2, row.place, row.value);
      EXPECT_EQ(outcome(status), row.expected) << name(curve) << ": " << row.what;
      EXPECT_TRUE(status.error().offset.has_value()) << row.what;
    }
  }
}

TEST(Zkey, TheScalarFieldOfTheOtherCurveIsRefused) {
  auto file = SectionFile::take_apart(vector_text(CurveId::bn254, "chain.zkey"));
  const auto other = SectionFile::take_apart(vector_text(CurveId::bls12_381, "chain.wtns")).payload(1);
  file.poke(2, HeaderPlaces(CurveId::bn254).r, other.substr(4, 32));
  EXPECT_EQ(outcome(open_bytes(formats()[1], file.bytes())), "wrong_prime");
}

TEST(Zkey, EveryFieldOfACoefficientIsCheckedWithItsOffset) {
  constexpr std::size_t entry = 44;
  for (const auto curve : curves) {
    const auto bytes = vector_text(curve, "chain.zkey");
    const auto count = read_at<std::uint32_t>(SectionFile::take_apart(bytes).payload(4), 0);
    const auto last = 4 + (count - 1) * entry;
    for (const std::size_t begin : {std::size_t{4}, 4 + 100 * entry, last}) {
      const struct {
        std::size_t place;
        std::uint32_t value;
        const char* expected;
      } rows[] = {
          {begin, 2, "index_out_of_range"},          {begin, UINT32_MAX, "index_out_of_range"},
          {begin + 4, 512, "index_out_of_range"},    {begin + 4, UINT32_MAX, "index_out_of_range"},
          {begin + 8, 303, "index_out_of_range"},    {begin + 8, UINT32_MAX, "index_out_of_range"},
          {begin + 40, UINT32_MAX, "not_canonical"}, {begin + 40, 0x80000000, "not_canonical"},
      };
      for (const auto& row : rows) {
        const auto status = with_u32(curve, 4, row.place, row.value);
        ASSERT_EQ(outcome(status), row.expected) << row.place;
        const auto section = SectionFile::take_apart(bytes).offset_of(4);
        const auto field = row.expected == std::string("not_canonical") ? row.place - 28 : row.place;
        EXPECT_EQ(status.error().offset, section + field);
      }
    }
  }
}

TEST(Zkey, ACoefficientEqualToThePrimeIsNotCanonicalAndOneLessIs) {
  for (const auto curve : curves) {
    auto file = SectionFile::take_apart(vector_text(curve, "chain.zkey"));
    auto prime = file.payload(2).substr(HeaderPlaces(curve).r, 32);
    file.poke(4, 4 + 12, prime);
    EXPECT_EQ(outcome(open_bytes(formats()[1], file.bytes())), "not_canonical");
    prime[0] = static_cast<char>(prime[0] - 1);
    file.poke(4, 4 + 12, prime);
    EXPECT_EQ(outcome(open_bytes(formats()[1], file.bytes())), "ok");
  }
}

TEST(Zkey, ACoefficientCountThatIsNotTheSectionsIsRefused) {
  for (const auto curve : curves) {
    const auto count =
        read_at<std::uint32_t>(SectionFile::take_apart(vector_text(curve, "chain.zkey")).payload(4), 0);
    for (const std::uint32_t wrong : {0U, count - 1, count + 1, UINT32_MAX, count + (1U << 30)})
      EXPECT_EQ(outcome(with_u32(curve, 4, 0, wrong)), "size_mismatch") << wrong;
  }
}

TEST(Zkey, SectionTenMayBeAbsentButMustBeWhole) {
  for (const auto curve : curves) {
    auto file = SectionFile::take_apart(vector_text(curve, "mul.zkey"));
    auto& record = file.payload(10);
    record.resize(67);
    EXPECT_EQ(outcome(open_bytes(formats()[1], file.bytes())), "size_mismatch");
    std::erase_if(file.parts, [](const auto& part) { return part.type == 10; });
    EXPECT_EQ(outcome(open_bytes(formats()[1], file.bytes())), "ok");
  }
}

TEST(Zkey, TheMarkOfADevelopmentKeyIsSeenAndWarnedOf) {
  auto file = SectionFile::take_apart(vector_text(CurveId::bn254, "mul.zkey"));
  file.poke(10, 0, zkey::insecure_dev_mark);
  const TemporaryFile marked(file.bytes());
  const auto key = ProvingKey::open(marked.path());
  ASSERT_TRUE(key.ok());
  EXPECT_TRUE((*key)->insecure_dev());
  const auto found = warnings(**key);
  EXPECT_TRUE(
      std::ranges::any_of(found, [](const auto& text) { return text.find("insecure-dev") != text.npos; }));
}

TEST(Zkey, AnUncontributedKeyAndInfinitiesInIcAndHAreWarnedOf) {
  const auto has = [](const ProvingKey& key, const char* words) {
    return std::ranges::any_of(warnings(key),
                               [&](const auto& text) { return text.find(words) != text.npos; });
  };
  for (const auto curve : curves) {
    const auto before = ProvingKey::open(vector_path(curve, "mul.0.zkey"));
    const auto after = ProvingKey::open(vector_path(curve, "mul.zkey"));
    ASSERT_TRUE(before.ok() && after.ok());
    EXPECT_TRUE(has(**before, "contribution"));
    EXPECT_TRUE(warnings(**after).empty());
    const std::size_t g1 = curve == CurveId::bn254 ? 64 : 96;
    for (const auto& [section, words] : {std::pair(3U, "IC"), std::pair(9U, "(H)")}) {
      auto file = SectionFile::take_apart(vector_text(curve, "mul.zkey"));
      file.poke(section, 0, std::string(g1, '\0'));
      const TemporaryFile changed(file.bytes());
      const auto key = ProvingKey::open(changed.path());
      ASSERT_TRUE(key.ok());
      EXPECT_TRUE(has(**key, words)) << words;
    }
  }
}

TEST(Zkey, TheContentHashIgnoresOrderAndContributionsButNothingThatProves) {
  for (const auto curve : curves) {
    const auto file = SectionFile::take_apart(vector_text(curve, "mul.zkey"));
    const auto hash_of = [](const SectionFile& changed) {
      const TemporaryFile temporary(changed.bytes());
      const auto key = ProvingKey::open(temporary.path());
      return key.ok() ? (*key)->content_hash() : outcome(key);
    };
    const auto original = hash_of(file);
    EXPECT_EQ(original.size(), 64U);
    auto reordered = file;
    std::ranges::reverse(reordered.parts);
    reordered.payload(10)[70] ^= 1;
    reordered.parts.push_back({99, "unknown"});
    EXPECT_EQ(hash_of(reordered), original);
    for (const std::uint32_t section : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U}) {
      auto changed = file;
      auto& payload = changed.payload(section);
      const auto place = section == 4 ? std::size_t{16} : payload.size() - 1;
      payload[place] ^= 1;
      EXPECT_NE(hash_of(changed), original) << section;
      EXPECT_EQ(hash_of(changed).size(), 64U) << section;
    }
  }
}

/// The `mul` key with a domain of 2^26, as a sparse file: section 9 alone has 4 GiB of zeros (infinities),
/// and the sections after it lie beyond what 32 bits reach.
void write_large_key(const std::filesystem::path& path) {
  auto file = SectionFile::take_apart(vector_text(CurveId::bn254, "mul.0.zkey"));
  const std::uint32_t domain = 1U << 26;
  file.poke(2, HeaderPlaces(CurveId::bn254).domain, little_endian(domain));
  const std::uint64_t h_bytes = std::uint64_t{domain} * sizeof(algebra::Bn254::G1);
  std::ofstream out(path, std::ios::binary);
  out << file.magic << little_endian(file.version)
      << little_endian(static_cast<std::uint32_t>(file.parts.size()));
  for (const auto& part : file.parts) {
    const bool is_h = part.type == 9;
    out << little_endian(part.type) << little_endian(is_h ? h_bytes : std::uint64_t{part.payload.size()});
    if (is_h)
      out.seekp(static_cast<std::streamoff>(h_bytes), std::ios::cur);
    else
      out << part.payload;
  }
  ASSERT_TRUE(out.flush());
}

TEST(Zkey, AKeyAboveFourGibibytesIsReadWithAllItsOffsets) {
  const TemporaryFile place("");
  write_large_key(place.path());
  const auto size = std::filesystem::file_size(place.path());
  ASSERT_GT(size, std::uint64_t{1} << 32);
  const auto large = ProvingKey::open(place.path());
  const auto small = ProvingKey::open(vector_path(CurveId::bn254, "mul.0.zkey"));
  ASSERT_TRUE(large.ok()) << to_string(large.error());
  ASSERT_TRUE(small.ok());
  EXPECT_EQ((*large)->size_bytes(), size);
  const auto view = (*large)->view<algebra::Bn254>();
  const auto expected = (*small)->view<algebra::Bn254>();
  EXPECT_EQ(view.h.size(), std::size_t{1} << 26);
  EXPECT_GT((*large)->offset_of(view.a.bytes().data()), std::uint64_t{1} << 32);
  for (std::size_t i = 0; i < expected.a.size(); ++i) {
    EXPECT_EQ(view.a[i], expected.a[i]);
    EXPECT_EQ(view.b2[i], expected.b2[i]);
  }
  std::filesystem::resize_file(place.path(), size - 1);
  EXPECT_EQ(outcome(ProvingKey::open(place.path())), "file_truncated");
  std::filesystem::resize_file(place.path(), std::uint64_t{1} << 32);
  EXPECT_EQ(outcome(ProvingKey::open(place.path())), "file_truncated");
}

}  // namespace
}  // namespace penstock::circuit::testing
