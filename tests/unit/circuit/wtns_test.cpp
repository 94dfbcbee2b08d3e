#include "common/circuit/witness.hpp"

#include "common/circuit/curve_primes.hpp"
#include "tests/unit/circuit/vectors.hpp"

namespace penstock::circuit::testing {
namespace {

struct Case {
  const char* file;
  const char* outcome;
};

TEST(Wtns, EveryMalformedVectorGetsItsNamedCode) {
  const Case cases[] = {
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
    for (const auto& sample : cases)
      EXPECT_EQ(outcome(Witness::read(vector_path(curve, sample.file))), sample.outcome) << sample.file;
}

TEST(Wtns, EveryWellFormedVectorIsReadAndWrittenBackByteForByte) {
  for (const auto curve : curves)
    for (const auto circuit : circuits) {
      const auto file = std::string(circuit) + ".wtns";
      const auto text = vector_text(curve, file);
      const auto view = parse_wtns(std::as_bytes(std::span(text)));
      ASSERT_TRUE(view.ok()) << file << to_string(view.error());
      EXPECT_EQ(view->curve, curve);
      const auto written = to_wtns(*view);
      EXPECT_TRUE(std::ranges::equal(written, std::as_bytes(std::span(text)))) << file;
    }
}

}  // namespace
}  // namespace penstock::circuit::testing
