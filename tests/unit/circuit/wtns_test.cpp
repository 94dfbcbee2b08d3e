#include "common/circuit/witness.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "common/circuit/curve_primes.hpp"
#include "tests/unit/circuit/section_file.hpp"

namespace penstock::circuit::testing {
namespace {

TEST(Wtns, EveryMalformedVectorGetsItsNamedCode) {
  const struct {
    const char* file;
    const char* expected;
  } rows[] = {
      {"f_badprime.wtns", "wrong_prime"},
      {"f_empty.wtns", "file_truncated"},
      {"f_extra.wtns", "ok"},
      {"f_ff.wtns", "not_canonical"},
      {"f_hugen8.wtns", "wrong_prime"},
      {"f_nsec.wtns", "count_out_of_range"},
      {"f_shortsec.wtns", "size_mismatch"},
      {"f_unreduced_pub.wtns", "not_canonical"},
      {"f_wrap.wtns", "file_truncated"},
      {"f_wrongwire.wtns", "ok"},
  };
  for (const auto curve : curves)
    for (const auto& row : rows)
      EXPECT_EQ(outcome(Witness::read(vector_path(curve, row.file))), row.expected) << row.file;
}

TEST(Wtns, EveryWellFormedVectorIsReadAndWrittenBackByteForByte) {
  for (const auto curve : curves)
    for (const auto circuit : circuits) {
      const auto file = std::string(circuit) + ".wtns";
      const auto text = vector_text(curve, file);
      const auto view = parse_wtns(std::as_bytes(std::span(text)));
      ASSERT_TRUE(view.ok()) << file << to_string(view.error());
      EXPECT_EQ(view->curve, curve);
      EXPECT_TRUE(check_witness_values(*view).ok());
      const auto written = to_wtns(*view);
      EXPECT_TRUE(std::ranges::equal(written, std::as_bytes(std::span(text)))) << file;
    }
}

std::string parsed(const SectionFile& file) {
  const auto bytes = file.bytes();
  return outcome(parse_wtns(std::as_bytes(std::span(bytes))));
}

TEST(Wtns, EveryFieldOfTheHeaderIsChecked) {
  for (const auto curve : curves) {
    const auto good = SectionFile::take_apart(vector_text(curve, "chain.wtns"));
    const struct {
      std::size_t place;
      std::uint32_t value;
      const char* expected;
    } rows[] = {
        {0, 0, "wrong_prime"},           {0, 31, "wrong_prime"},
        {0, 48, "wrong_prime"},          {0, 64, "wrong_prime"},
        {0, 0x7FFFFFFF, "wrong_prime"},  {0, UINT32_MAX, "wrong_prime"},
        {4, 7, "wrong_prime"},           {32, 7, "wrong_prime"},
        {36, 0, "count_out_of_range"},   {36, 302, "size_mismatch"},
        {36, 304, "size_mismatch"},      {36, UINT32_MAX, "size_mismatch"},
        {36, 1U << 27, "size_mismatch"}, {36, (1U << 27) + 303, "size_mismatch"},
    };
    for (const auto& row : rows) {
      auto file = good;
      file.poke(1, row.place, little_endian(row.value));
      EXPECT_EQ(parsed(file), row.expected) << row.place << " = " << row.value;
    }
  }
}

TEST(Wtns, AValueIsRefusedFromThePrimeUpwardsInEveryWire) {
  for (const auto curve : curves) {
    const auto good = SectionFile::take_apart(vector_text(curve, "chain.wtns"));
    const auto prime = SectionFile(good).payload(1).substr(4, 32);
    auto below = prime;
    below[0] = static_cast<char>(below[0] - 1);
    for (const std::size_t wire : {1U, 2U, 17U, 302U}) {
      auto file = good;
      file.poke(2, wire * 32, prime);
      const auto bytes = file.bytes();
      const auto result = parse_wtns(std::as_bytes(std::span(bytes)));
      ASSERT_EQ(outcome(result), "not_canonical");
      EXPECT_EQ(result.error().offset, file.offset_of(2) + wire * 32);
      EXPECT_NE(result.error().what.find("wire " + std::to_string(wire)), std::string::npos);
      file.poke(2, wire * 32, std::string(32, '\xFF'));
      EXPECT_EQ(parsed(file), "not_canonical");
      file.poke(2, wire * 32, below);
      EXPECT_EQ(parsed(file), "ok");
    }
  }
}

TEST(Wtns, WireZeroMustBeOne) {
  for (const auto curve : curves) {
    auto file = SectionFile::take_apart(vector_text(curve, "chain.wtns"));
    for (const char value : {'\0', '\2', '\xFF'}) {
      file.poke(2, 0, std::string(1, value));
      EXPECT_EQ(parsed(file), "not_canonical");
    }
    file.poke(2, 0, std::string("\1\1", 2));
    EXPECT_EQ(parsed(file), "not_canonical");
  }
}

TEST(Wtns, ErrorsNeverHoldAValue) {
  auto file = SectionFile::take_apart(vector_text(CurveId::bn254, "chain.wtns"));
  file.poke(2, 5 * 32, std::string(32, '\xFF'));
  const auto bytes = file.bytes();
  const auto result = parse_wtns(std::as_bytes(std::span(bytes)));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(to_string(result.error()).find("1157920892373161954"), std::string::npos);
  EXPECT_EQ(to_string(result.error()).find("ffff"), std::string::npos);
}

TEST(Wtns, AWrittenWitnessIsReadableByItsOwnerOnly) {
  const auto witness = Witness::read(vector_path(CurveId::bn254, "mul.wtns"));
  ASSERT_TRUE(witness.ok());
  const TemporaryFile place("");
  ASSERT_TRUE(write_wtns(place.path(), witness->view()).ok());
  struct stat facts {};
  ASSERT_EQ(::stat(place.path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  EXPECT_TRUE(Witness::read(place.path()).ok());
}

TEST(Wtns, WritingWhereOneCannotIsNamed) {
  const auto witness = Witness::read(vector_path(CurveId::bn254, "mul.wtns"));
  ASSERT_TRUE(witness.ok());
  EXPECT_EQ(outcome(write_wtns("/nowhere/at/all.wtns", witness->view())), "file_unwritable");
  EXPECT_EQ(outcome(write_wtns("/", witness->view())), "file_unwritable");
}

TEST(Wtns, ThePublicSignalsAreTheFirstWiresAfterTheOne) {
  for (const auto curve : curves) {
    const auto witness = Witness::read(vector_path(curve, "chain.wtns"));
    ASSERT_TRUE(witness.ok());
    const auto publics = publics_of(witness->view(), 2);
    ASSERT_EQ(publics.size(), 2U);
    EXPECT_EQ(publics[0], witness->view().values[1]);
    EXPECT_EQ(publics[1], witness->view().values[2]);
  }
}

}  // namespace
}  // namespace penstock::circuit::testing
