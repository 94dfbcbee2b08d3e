#include "common/circuit/zkey_writer.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "common/circuit/formats_info.hpp"
#include "tests/unit/circuit/section_file.hpp"

namespace penstock::circuit::testing {
namespace {

template <class T>
std::vector<T> copied(UnalignedSpan<T> span) {
  std::vector<T> copy(span.size());
  for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = span[i];
  return copy;
}

/// The sections of an existing key as owned vectors, and the NewKey over them.
template <class C>
struct Copied {
  std::vector<typename C::G1> ic, a, b1, c, h;
  std::vector<typename C::G2> b2;
  std::vector<Coefficient> coefficients;
  NewKey<C> key;

  explicit Copied(const ProvingKey& original) {
    const auto view = original.view<C>();
    ic = copied(view.ic);
    a = copied(view.a);
    b1 = copied(view.b1);
    b2 = copied(view.b2);
    c = copied(view.c);
    h = copied(view.h);
    coefficients = copied(original.coefficients());
    key = {original.shape(),
           view.alpha1,
           view.beta1,
           view.delta1,
           view.beta2,
           view.gamma2,
           view.delta2,
           ic,
           a,
           b1,
           c,
           h,
           b2,
           coefficients};
  }
};

template <class Visit>
void for_both_curves(Visit visit) {
  for (const auto curve : curves) algebra::with_curve(curve, visit);
}

TEST(ZkeyWriter, AWrittenKeyReadsBackTheSameAndIsMarked) {
  for_both_curves([]<class C>(std::type_identity<C>) {
    for (const auto circuit : circuits) {
      const auto original = ProvingKey::open(vector_path(C::id, std::string(circuit) + ".zkey"));
      ASSERT_TRUE(original.ok());
      const Copied<C> copy(**original);
      const TemporaryFile place("");
      ASSERT_TRUE(write_insecure_dev_key<C>(place.path(), copy.key).ok());
      const auto written = ProvingKey::open(place.path());
      ASSERT_TRUE(written.ok()) << to_string(written.error());
      EXPECT_TRUE((*written)->insecure_dev());
      EXPECT_EQ((*written)->contributions(), 0U);
      EXPECT_EQ((*written)->content_hash(), (*original)->content_hash()) << circuit;
    }
  });
}

TEST(ZkeyWriter, TheSectionsStandInSnarkjssOrder) {
  const auto original = ProvingKey::open(vector_path(CurveId::bn254, "mul.zkey"));
  ASSERT_TRUE(original.ok());
  const Copied<algebra::Bn254> copy(**original);
  const TemporaryFile place("");
  ASSERT_TRUE(write_insecure_dev_key<algebra::Bn254>(place.path(), copy.key).ok());
  const auto bytes = read_text_file(place.path(), 1U << 20);
  ASSERT_TRUE(bytes.ok());
  std::vector<std::uint32_t> order;
  for (const auto& part : SectionFile::take_apart(*bytes).parts) order.push_back(part.type);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 4, 3, 9, 8, 5, 6, 7, 10}));
  EXPECT_EQ(SectionFile::take_apart(*bytes).payload(10).size(), 68U)
      << "as snarkjs writes it before a contribution";
}

TEST(ZkeyWriter, AShapeThatTheSectionsDoNotHaveIsRefusedAndNoFileAppears) {
  using C = algebra::Bn254;
  const auto original = ProvingKey::open(vector_path(C::id, "mul.zkey"));
  ASSERT_TRUE(original.ok());
  const Copied<C> copy(**original);
  const auto folder = std::filesystem::temp_directory_path() / ("penstock-writer-" + random_uuid());
  std::filesystem::create_directories(folder);
  const auto refused = [&](auto change) {
    auto key = copy.key;
    change(key);
    EXPECT_EQ(outcome(write_insecure_dev_key<C>(folder / "k.zkey", key)), "size_mismatch");
    EXPECT_TRUE(std::filesystem::is_empty(folder));
  };
  refused([](auto& key) { key.shape.curve = CurveId::bls12_381; });
  refused([](auto& key) { key.shape.variables = 1; });
  refused([](auto& key) { ++key.shape.publics; });
  refused([](auto& key) { key.shape.domain_size *= 2; });
  refused([](auto& key) { key.a = {1, {}}; });
  refused([](auto& key) { key.b1 = {1, {}}; });
  refused([](auto& key) { key.b2 = {1, {}}; });
  refused([](auto& key) { key.c = {1, {}}; });
  refused([](auto& key) { key.h = {1, {}}; });
  refused([](auto& key) { key.ic = {1, {}}; });
  EXPECT_EQ(outcome(write_insecure_dev_key<C>(folder / "no" / "k.zkey", copy.key)), "file_unwritable");
  std::filesystem::remove_all(folder);
}

TEST(NewFileTest, AppearsWholeOrNotAtAll) {
  const auto folder = std::filesystem::temp_directory_path() / ("penstock-newfile-" + random_uuid());
  std::filesystem::create_directories(folder);
  const std::string text = "content";
  {
    auto file = NewFile::create(folder / "f", 0644);
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE(file->append(std::as_bytes(std::span(text))).ok());
    EXPECT_FALSE(std::filesystem::exists(folder / "f"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "an abandoned file leaves nothing behind";
  {
    auto file = NewFile::create(folder / "f", 0644);
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE(file->append(std::as_bytes(std::span(text))).ok());
    EXPECT_TRUE(file->commit().ok());
  }
  EXPECT_EQ(*read_text_file(folder / "f", 100), text);
  EXPECT_EQ(outcome(read_text_file(folder / "f", 6)), "body_too_large");
  std::filesystem::remove_all(folder);
}

TEST(NewFileTest, ADeviceIsWrittenAndNotReplaced) {
  EXPECT_TRUE(write_text_file("/dev/null", "gone").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

std::string fact(const FileFacts& facts, std::string_view label) {
  const auto found = std::ranges::find(facts, label, &FileFacts::value_type::first);
  return found == facts.end() ? "none" : found->second;
}

TEST(DescribeFile, SaysWhatEachFormatHolds) {
  for (const auto curve : curves) {
    const auto key = describe_file(vector_path(curve, "chain.zkey"));
    ASSERT_TRUE(key.ok());
    EXPECT_EQ(fact(*key, "format"), "zkey");
    EXPECT_EQ(fact(*key, "curve"), name(curve));
    EXPECT_EQ(fact(*key, "wires"), "303");
    EXPECT_EQ(fact(*key, "domain_size"), "512");
    EXPECT_EQ(fact(*key, "contributions"), "1");
    EXPECT_EQ(fact(*key, "warning"), "none");
    EXPECT_NE(fact(*describe_file(vector_path(curve, "chain.0.zkey")), "warning"), "none");
    const auto r1cs = describe_file(vector_path(curve, "chain.r1cs"));
    ASSERT_TRUE(r1cs.ok());
    EXPECT_EQ(fact(*r1cs, "constraints"), "300");
    const auto witness = describe_file(vector_path(curve, "chain.wtns"));
    ASSERT_TRUE(witness.ok());
    EXPECT_EQ(fact(*witness, "wires"), "303");
  }
}

TEST(DescribeFile, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(outcome(describe_file(vector_path(CurveId::bn254, "f_empty.wtns"))), "file_truncated");
  EXPECT_EQ(outcome(describe_file(vector_path(CurveId::bn254, "chain.proof.json"))), "bad_magic");
  EXPECT_EQ(outcome(describe_file(vector_path(CurveId::bn254, "f_npub.zkey"))), "count_out_of_range");
  EXPECT_EQ(outcome(describe_file("/nowhere")), "file_unreadable");
}

}  // namespace
}  // namespace penstock::circuit::testing
