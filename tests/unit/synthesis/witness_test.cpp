// Witnesses of the vectors' circuits, by both engines, byte by byte.
#include <gmpxx.h>

#include <atomic>
#include <thread>

#include "common/circuit/r1cs.hpp"
#include "support.hpp"

namespace penstock::synthesis {
namespace {

/// One cache for the whole suite: each program is compiled once.
class WitnessSuite : public ::testing::Test {
 public:
  static void SetUpTestSuite() { folder_ = new TemporaryFolder; }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

 protected:
  static std::shared_ptr<const WitnessProgram> open(const std::filesystem::path& wasm) {
    auto program = WitnessProgram::open(wasm, options_in(folder_->path()));
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : to_string(program.error()));
    return program.ok() ? *program : nullptr;
  }
  static Result<ComputedWitness> compute(const std::filesystem::path& wasm, const std::string& input,
                                         const circuit::SymbolTable* symbols = nullptr) {
    WitnessOptions options;
    options.engine = Engine::interpreted;
    options.symbols = symbols;
    return open(wasm)->compute(input, options);
  }
  static std::string error_of(const std::filesystem::path& wasm, const std::string& input,
                              const circuit::SymbolTable* symbols = nullptr) {
    const auto witness = compute(wasm, input, symbols);
    return witness.ok() ? "accepted" : std::string(name(witness.error().code)) + ": " + witness.error().what;
  }
  static inline TemporaryFolder* folder_ = nullptr;
};

struct Vector {
  const char* curve;
  const char* circuit;
  Engine engine;
};
class WitnessVectors : public WitnessSuite, public ::testing::WithParamInterface<Vector> {};

TEST_P(WitnessVectors, AreByteForByteSnarkjss) {
  const auto& [curve, circuit, engine] = GetParam();
  const auto folder = vectors() / curve;
  std::filesystem::path wasm = folder / (std::string(circuit) + ".wasm");
  std::filesystem::path input = folder / (std::string(circuit) + ".in.json");
  std::filesystem::path wtns = folder / (std::string(circuit) + ".wtns");
  if (std::string_view(circuit) == "range64") {
    wasm = folder / "range64/circuit.wasm";
    input = folder / "range64/input.json";
    wtns = folder / "range64/witness.wtns";
  }
  WitnessOptions options;
  options.engine = engine;
  const auto witness = open(wasm)->compute(read_file(input), options);
  ASSERT_TRUE(witness.ok()) << to_string(witness.error());
  EXPECT_EQ(witness->engine(), engine);
  EXPECT_EQ(name(witness->curve()), curve);
  EXPECT_TRUE(witness->notes().empty());
  const auto bytes = circuit::to_wtns(witness->view());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), read_file(wtns));
}

std::vector<Vector> all_vectors() {
  std::vector<Vector> all;
  for (const char* curve : {"bn254", "bls12_381"})
    for (const char* circuit : {"mul", "chain", "nopub", "unused", "square", "linear", "range64"})
      for (const Engine engine : {Engine::interpreted, Engine::compiled})
        all.push_back({curve, circuit, engine});
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, WitnessVectors, ::testing::ValuesIn(all_vectors()), [](const auto& one) {
  return std::string(one.param.curve) + "_" + one.param.circuit +
         (one.param.engine == Engine::compiled ? "_compiled" : "_interpreted");
});

class Witness : public WitnessSuite {
 protected:
  const std::filesystem::path mul_ = vectors() / "bn254/mul.wasm";
  const std::filesystem::path unused_ = vectors() / "bn254/unused.wasm";
};

TEST_F(Witness, OfACustomGateIsComputed) {
  const auto witness = compute(vectors() / "bn254/customgate.wasm", R"({"a": "3"})");
  ASSERT_TRUE(witness.ok()) << to_string(witness.error());
}

TEST_F(Witness, TakesNegativeHexadecimalAndUnreducedValuesAndSaysWhatItReduced) {
  // a = -1, b = p + 5: c = a * b = -5.
  const std::string prime = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
  const auto witness =
      compute(mul_, R"({"a": -1, "b": ")" + mpz_class(mpz_class(prime) + 5).get_str() + "\"}");
  ASSERT_TRUE(witness.ok()) << to_string(witness.error());
  ASSERT_EQ(witness->notes().size(), 1U);
  EXPECT_EQ(witness->notes()[0], "signal b was not below the field's prime and has been reduced");
  mpz_class c;
  const circuit::Scalar value = witness->view().values[1];
  mpz_import(c.get_mpz_t(), 4, -1, 8, 0, 0, value.data());
  EXPECT_EQ(c, mpz_class(prime) - 5);
  EXPECT_TRUE(compute(mul_, R"({"a": "0x0b", "b": "0x3"})").ok());
}

TEST_F(Witness, NamesMissingAndSurplusSignals) {
  const auto symbols = circuit::SymbolTable::open(vectors() / "bn254/unused.sym");
  ASSERT_TRUE(symbols.ok());
  EXPECT_EQ(error_of(mul_, R"({"a": 1})"), "signal_missing: the input gives 1 of 2 values (a)");
  EXPECT_EQ(error_of(mul_, "{}"), "signal_missing: the input gives 0 of 2 values");
  EXPECT_EQ(error_of(unused_, R"({"a": 1})", &*symbols), "signal_missing: the input lacks un, b");
  EXPECT_EQ(error_of(mul_, R"({"a": 1, "b": 2, "d": 3})"),
            "signal_surplus: the circuit has no input signal d");
  EXPECT_EQ(error_of(mul_, R"({"a": 1, "b": {"x": 2}})"),
            "signal_surplus: the circuit has no input signal b.x");
  EXPECT_EQ(error_of(unused_, R"({"a": 1, "b": 2, "un": [1, 2]})"),
            "signal_missing: signal un has 2 values where the circuit wants 3");
  EXPECT_EQ(error_of(unused_, R"({"a": 1, "b": 2, "un": [1, 2, 3, 4]})"),
            "signal_surplus: signal un has 4 values where the circuit wants 3");
  EXPECT_EQ(error_of(unused_, R"({"a": [1, 1], "b": 2, "un": [1, 2, 3]})"),
            "signal_surplus: signal a has 2 values where the circuit wants 1");
  EXPECT_EQ(error_of(mul_, R"({"a": 1, "b": 2, "c": 2})"),
            "signal_surplus: the circuit has no input signal c");
}

TEST_F(Witness, OfAFailingAssertNamesTemplateAndLine) {
  for (const Engine engine : {Engine::interpreted, Engine::compiled}) {
    WitnessOptions options;
    options.engine = engine;
    const auto program = open(vectors() / "bn254/nopub.wasm");
    const auto broken = program->compute(R"({"a": 3, "b": 12})", options);
    ASSERT_FALSE(broken.ok());
    EXPECT_EQ(broken.error().code, ErrorCode::assert_failed);
    EXPECT_NE(broken.error().what.find("template M_0 line: 2"), std::string::npos) << broken.error().what;
    // The program works again afterwards.
    EXPECT_TRUE(program->compute(R"({"a": 3, "b": 11})", options).ok());
  }
}

TEST_F(Witness, IsComputedByManyThreadsAtOnce) {
  const auto program = open(mul_);
  ASSERT_TRUE(program->compile({}, {}).ok());
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 1; i <= 10; ++i) {
        const auto witness = program->compute(
            "{\"a\": " + std::to_string(t + 1) + ", \"b\": " + std::to_string(i) + "}", WitnessOptions{});
        right += witness.ok() && witness->view().values[1][0] == (t + 1) * i;
      }
    });
  threads.clear();
  EXPECT_EQ(right, 40);
}

TEST_F(Witness, OfBusesOfNoInputAndOfADeepRecursionIsCircomsOwn) {
  for (const std::string circuit : {"bus", "no_input", "recursion"}) {
    const auto witness =
        open(programs() / (circuit + ".wasm"))->compute(read_file(programs() / (circuit + ".in.json")), {});
    ASSERT_TRUE(witness.ok()) << to_string(witness.error());
    const auto bytes = circuit::to_wtns(witness->view());
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
              read_file(programs() / (circuit + ".wtns")));
    // The interpreter's small call stack is no reason to refuse.
    if (circuit == "recursion") {
      EXPECT_EQ(witness->engine(), Engine::compiled);
    }
  }
  EXPECT_TRUE(error_of(programs() / "recursion.wasm", R"({"a": 2000})").starts_with("memory_limit"));
}

TEST_F(Witness, NamesAMissingFieldOfABus) {
  const auto symbols = circuit::SymbolTable::open(programs() / "bus.sym");
  ASSERT_TRUE(symbols.ok());
  EXPECT_EQ(
      error_of(programs() / "bus.wasm",
               R"({"p": {"x": 2, "y": 3}, "q": [{"x": 4, "y": 5}, {"x": 6}], "m": [[1, 2, 3], [4, 5, 6]]})",
               &*symbols),
      "signal_missing: the input lacks q[1].y");
}

TEST_F(Witness, ProgramFilesThatAreNoneAreRefused) {
  const auto code_of = [&](const std::filesystem::path& path) {
    const auto program = WitnessProgram::open(path, options_in(folder_->path()));
    return program.ok() ? "accepted" : std::string(name(program.error().code));
  };
  EXPECT_EQ(code_of(vectors() / "bn254/mul.r1cs"), "bad_magic");
  EXPECT_EQ(code_of("/nonexistent.wasm"), "file_unreadable");
  EXPECT_EQ(code_of(folder_->path()), "file_unreadable");
  auto small = options_in(folder_->path());
  small.max_wasm_bytes = 1000;
  const auto large = WitnessProgram::open(mul_, small);
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, ErrorCode::body_too_large);
}

}  // namespace
}  // namespace penstock::synthesis
