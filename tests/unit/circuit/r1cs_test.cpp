#include "common/circuit/r1cs.hpp"

#include <algorithm>

#include "common/circuit/proving_key.hpp"
#include "tests/unit/circuit/section_file.hpp"

namespace penstock::circuit::testing {
namespace {

Status open_r1cs(const SectionFile& file) {
  return open_bytes(formats()[2], file.bytes());
}

TEST(R1cs, EveryVectorOpensWithTheShapeOfItsKey) {
  for (const auto curve : curves)
    for (const auto circuit : circuits) {
      const auto r1cs = R1cs::open(vector_path(curve, std::string(circuit) + ".r1cs"));
      const auto key = ProvingKey::open(vector_path(curve, std::string(circuit) + ".zkey"));
      ASSERT_TRUE(r1cs.ok() && key.ok()) << circuit;
      EXPECT_EQ((*r1cs)->shape().curve, curve);
      EXPECT_EQ((*r1cs)->shape().wires, (*key)->shape().variables);
      EXPECT_EQ((*r1cs)->shape().publics(), (*key)->shape().publics);
    }
}

TEST(R1cs, CustomGatesAreRefusedByName) {
  for (const auto curve : curves) {
    EXPECT_EQ(outcome(R1cs::open(vector_path(curve, "customgate.r1cs"))), "custom_gates");
    for (const std::uint32_t type : {4U, 5U}) {
      auto file = SectionFile::take_apart(vector_text(curve, "mul.r1cs"));
      file.parts.push_back({type, std::string(4, '\0')});
      EXPECT_EQ(outcome(open_r1cs(file)), "custom_gates");
    }
  }
}

TEST(R1cs, EveryFieldOfTheHeaderIsChecked) {
  for (const auto curve : curves) {
    const auto good = SectionFile::take_apart(vector_text(curve, "chain.r1cs"));
    const struct {
      const char* what;
      std::size_t place;
      std::uint32_t value;
      const char* expected;
    } rows[] = {
        {"n8 0", 0, 0, "wrong_prime"},
        {"n8 48", 0, 48, "wrong_prime"},
        {"n8 2^32 - 1", 0, UINT32_MAX, "wrong_prime"},
        {"the prime", 4, 7, "wrong_prime"},
        {"no wires", 36, 0, "count_out_of_range"},
        {"fewer wires than publics", 36, 2, "count_out_of_range"},
        {"2^32 - 1 outputs", 40, UINT32_MAX, "count_out_of_range"},
        {"2^32 - 1 public inputs", 44, UINT32_MAX, "count_out_of_range"},
        {"2^32 - 1 private inputs", 48, UINT32_MAX, "count_out_of_range"},
        {"303 private inputs", 48, 303, "count_out_of_range"},
        {"one wire more", 36, 304, "size_mismatch"},
        {"no constraints", 60, 0, "size_mismatch"},
        {"one constraint less", 60, 299, "size_mismatch"},
        {"one constraint more", 60, 301, "size_mismatch"},
        {"2^32 - 1 constraints", 60, UINT32_MAX, "size_mismatch"},
    };
    for (const auto& row : rows) {
      auto file = good;
      file.poke(1, row.place, little_endian(row.value));
      EXPECT_EQ(outcome(open_r1cs(file)), row.expected) << row.what;
    }
  }
}

TEST(R1cs, EveryFieldOfEveryTermIsChecked) {
  for (const auto curve : curves) {
    const auto good = SectionFile::take_apart(vector_text(curve, "mul.r1cs"));
    const auto rows = SectionFile(good).payload(2);
    const auto prime = SectionFile(good).payload(1).substr(4, 32);
    for (std::size_t place = 0; place < rows.size();) {
      const auto count = read_at<std::uint32_t>(rows, place);
      for (const std::uint32_t wrong : {count + 1000, UINT32_MAX, 0x40000000U}) {
        auto file = good;
        file.poke(2, place, little_endian(wrong));
        EXPECT_NE(outcome(open_r1cs(file)), "ok") << place;
      }
      place += 4;
      for (std::uint32_t term = 0; term < count; ++term, place += 36) {
        auto file = good;
        file.poke(2, place, little_endian(std::uint32_t{4}));
        auto status = open_r1cs(file);
        ASSERT_EQ(outcome(status), "index_out_of_range");
        EXPECT_EQ(status.error().offset, good.offset_of(2) + place);
        file = good;
        file.poke(2, place + 4, prime);
        status = open_r1cs(file);
        ASSERT_EQ(outcome(status), "not_canonical");
        EXPECT_EQ(status.error().offset, good.offset_of(2) + place + 4);
      }
    }
  }
}

TEST(R1cs, TheLabelSectionMayBeAbsentButMustFitTheWires) {
  auto file = SectionFile::take_apart(vector_text(CurveId::bn254, "chain.r1cs"));
  auto shorter = file;
  shorter.payload(3).resize(8 * 302);
  EXPECT_EQ(outcome(open_r1cs(shorter)), "size_mismatch");
  std::erase_if(file.parts, [](const auto& part) { return part.type == 3; });
  const TemporaryFile temporary(file.bytes());
  const auto r1cs = R1cs::open(temporary.path());
  ASSERT_TRUE(r1cs.ok());
  EXPECT_EQ((*r1cs)->label(17), 17U);
}

Status checked(CurveId curve, const std::string& circuit, const std::string& witness_file, bool with_names,
               int threads) {
  const auto r1cs = R1cs::open(vector_path(curve, circuit + ".r1cs"));
  const auto witness = Witness::read(vector_path(curve, witness_file));
  const auto symbols = SymbolTable::open(vector_path(curve, circuit + ".sym"));
  if (!r1cs.ok()) return r1cs.error();
  if (!witness.ok()) return witness.error();
  if (!symbols.ok()) return symbols.error();
  return check_witness(**r1cs, witness->view(), with_names ? &*symbols : nullptr, threads);
}

TEST(CheckWitness, EveryVectorsWitnessSatisfiesItsCircuit) {
  for (const auto curve : curves) {
    for (const auto circuit : circuits)
      for (const int threads : {1, 2})
        EXPECT_EQ(
            outcome(checked(curve, std::string(circuit), std::string(circuit) + ".wtns", true, threads)),
            "ok");
    for (const char* file : {"witness.wtns", "witness1.wtns", "witness2.wtns", "witness3.wtns"})
      EXPECT_EQ(outcome(checked(curve, "range64/circuit", std::string("range64/") + file, true, 2)), "ok");
  }
}

TEST(CheckWitness, AWrongWireIsUnsatisfiedAndNamesConstraintAndSignals) {
  for (const auto curve : curves) {
    const auto named = checked(curve, "chain", "f_wrongwire.wtns", true, 2);
    ASSERT_EQ(outcome(named), "witness_unsatisfied");
    EXPECT_NE(named.error().what.find("constraint "), std::string::npos) << named.error().what;
    EXPECT_NE(named.error().what.find("main."), std::string::npos) << named.error().what;
    const auto unnamed = checked(curve, "chain", "f_wrongwire.wtns", false, 1);
    ASSERT_EQ(outcome(unnamed), "witness_unsatisfied");
    EXPECT_NE(unnamed.error().what.find("wire "), std::string::npos);
  }
}

TEST(CheckWitness, ChangingAnyConstrainedWireIsNoticed) {
  for (const auto curve : curves) {
    const auto r1cs = R1cs::open(vector_path(curve, "chain.r1cs"));
    const auto witness = Witness::read(vector_path(curve, "chain.wtns"));
    ASSERT_TRUE(r1cs.ok() && witness.ok());
    std::vector<Scalar> values(witness->view().values.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = witness->view().values[i];
    for (std::size_t wire = 1; wire < values.size(); ++wire) {
      auto changed = values;
      changed[wire][0] ^= 1;
      ASSERT_EQ(outcome(check_witness(**r1cs, {curve, std::span<const Scalar>(changed)}, nullptr, 2)),
                "witness_unsatisfied")
          << wire;
    }
  }
}

TEST(CheckWitness, AnotherCurveOrAnotherSizeIsNamed) {
  const auto r1cs = R1cs::open(vector_path(CurveId::bn254, "chain.r1cs"));
  const auto other_curve = Witness::read(vector_path(CurveId::bls12_381, "chain.wtns"));
  const auto other_circuit = Witness::read(vector_path(CurveId::bn254, "mul.wtns"));
  ASSERT_TRUE(r1cs.ok() && other_curve.ok() && other_circuit.ok());
  EXPECT_EQ(outcome(check_witness(**r1cs, other_curve->view(), nullptr, 1)), "curve_mismatch");
  EXPECT_EQ(outcome(check_witness(**r1cs, other_circuit->view(), nullptr, 1)), "size_mismatch");
}

TEST(SymbolTable, NamesLabelsAndSaysSoWhenItCannot) {
  const auto symbols = SymbolTable::open(vector_path(CurveId::bn254, "chain.sym"));
  ASSERT_TRUE(symbols.ok());
  EXPECT_EQ(symbols->name_of(1), "main.c");
  EXPECT_EQ(symbols->name_of(4), "main.t[0]");
  EXPECT_EQ(symbols->name_of(999999), "label 999999");
}

TEST(SymbolTable, EveryMalformedLineIsRefusedWithItsNumber) {
  for (const char* text :
       {"1,1,0", "1", "x,1,0,main.a", ",1,0,main.a", "1,1,0,", "-1,1,0,main.a",
        "99999999999999999999999,1,0,main.a", "1;1;0;main.a", "2,2,0,main.\xFF", "2,2,0,main.\x01"}) {
    const TemporaryFile file(std::string("1,1,0,main.a\n") + text + "\n");
    const auto symbols = SymbolTable::open(file.path());
    ASSERT_EQ(outcome(symbols), "bad_format") << text;
    EXPECT_NE(symbols.error().what.find("line 2"), std::string::npos);
  }
  const TemporaryFile empty("");
  EXPECT_TRUE(SymbolTable::open(empty.path()).ok());
  const TemporaryFile windows("1,1,0,main.a\r\n2,2,0,main.b\r\n");
  const auto symbols = SymbolTable::open(windows.path());
  ASSERT_TRUE(symbols.ok());
  EXPECT_EQ(symbols->name_of(2), "main.b");
}

Status matched(const std::filesystem::path& key_path, const std::filesystem::path& r1cs_path) {
  const auto key = ProvingKey::open(key_path);
  const auto r1cs = R1cs::open(r1cs_path);
  if (!key.ok()) return key.error();
  if (!r1cs.ok()) return r1cs.error();
  return check_key_matches(**key, **r1cs);
}

TEST(KeyMatch, EveryVectorsKeyMatchesItsR1csAndNoOther) {
  for (const auto curve : curves)
    for (const auto circuit : circuits)
      for (const auto other : circuits) {
        const auto status = matched(vector_path(curve, std::string(circuit) + ".zkey"),
                                    vector_path(curve, std::string(other) + ".r1cs"));
        EXPECT_EQ(outcome(status), circuit == other ? "ok" : "key_mismatch") << circuit << " " << other;
      }
  EXPECT_EQ(outcome(matched(vector_path(CurveId::bn254, "chain.zkey"),
                            vector_path(CurveId::bls12_381, "chain.r1cs"))),
            "curve_mismatch");
}

/// Section 4 of `chain`, changed by the test, against the r1cs.
std::string match_with_entries(CurveId curve, std::string payload) {
  auto file = SectionFile::take_apart(vector_text(curve, "chain.zkey"));
  const auto entries = static_cast<std::uint32_t>((payload.size() - 4) / 44);
  payload.replace(0, 4, little_endian(entries));
  file.payload(4) = std::move(payload);
  const TemporaryFile temporary(file.bytes());
  return outcome(matched(temporary.path(), vector_path(curve, "chain.r1cs")));
}

TEST(KeyMatch, OrderRepetitionAndZerosDoNotMatterButEveryEntryDoes) {
  for (const auto curve : curves) {
    const auto original = SectionFile::take_apart(vector_text(curve, "chain.zkey")).payload(4);
    std::vector<std::string> entries;
    for (std::size_t place = 4; place < original.size(); place += 44)
      entries.push_back(original.substr(place, 44));
    const auto joined = [](const std::vector<std::string>& list) {
      std::string payload(4, '\0');
      for (const auto& entry : list) payload += entry;
      return payload;
    };
    auto reversed = entries;
    std::ranges::reverse(reversed);
    EXPECT_EQ(match_with_entries(curve, joined(reversed)), "ok");

    auto with_zero = entries;
    with_zero.push_back(entries[5].substr(0, 12) + std::string(32, '\0'));
    EXPECT_EQ(match_with_entries(curve, joined(with_zero)), "ok");

    auto doubled = entries;
    doubled.push_back(entries[5]);
    EXPECT_EQ(match_with_entries(curve, joined(doubled)), "key_mismatch");

    for (const std::size_t dropped : {std::size_t{0}, entries.size() / 2, entries.size() - 1}) {
      auto fewer = entries;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(dropped));
      EXPECT_EQ(match_with_entries(curve, joined(fewer)), "key_mismatch") << dropped;
      auto changed = entries;
      changed[dropped][12] = static_cast<char>(changed[dropped][12] ^ 1);
      EXPECT_EQ(match_with_entries(curve, joined(changed)), "key_mismatch") << dropped;
    }
  }
}

}  // namespace
}  // namespace penstock::circuit::testing
