#include "common/circuit/proving_key.hpp"
#include "tests/unit/circuit/vectors.hpp"

namespace penstock::circuit::testing {
namespace {

struct Case {
  const char* file;
  const char* outcome;
};

TEST(Zkey, EveryMalformedVectorGetsItsNamedCodeOnOpen) {
  const Case cases[] = {
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
    for (const auto& sample : cases)
      EXPECT_EQ(outcome(ProvingKey::open(vector_path(curve, sample.file))), sample.outcome) << sample.file;
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

}  // namespace
}  // namespace penstock::circuit::testing
