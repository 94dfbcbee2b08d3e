// Programs that misbehave: each ends in a named error, in time, and harms nobody.
#include "support.hpp"

namespace penstock::synthesis {
namespace {

struct Case {
  const char* name;
  const char* misbehaviour;
  ErrorCode code;
};
// The input's value says which of them the one program does: it is compiled once.
constexpr Case cases[] = {
    {"runs_for_ever", "(loop $l (br $l))", ErrorCode::time_limit},
    {"allocates_wildly",
     "(loop $m (drop (memory.grow (i32.const 100)))"
     " (i32.store (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 8)) (i32.const 1)) (br $m))",
     ErrorCode::memory_limit},
    {"grows_beyond_everything", "(drop (memory.grow (i32.const 65000)))", ErrorCode::memory_limit},
    {"recurses_for_ever", "(drop (call $recurse (i32.const 0)))", ErrorCode::memory_limit},
    {"reads_outside_its_memory", "(drop (i32.load (i32.const -4)))", ErrorCode::bad_format},
    {"writes_outside_its_memory", "(i64.store offset=4294967295 (i32.const -1) (i64.const 1))",
     ErrorCode::bad_format},
    {"divides_by_zero", "(drop (i32.div_s (i32.const 1) (i32.load (i32.const 512))))", ErrorCode::bad_format},
    {"stops_itself", "(unreachable)", ErrorCode::bad_format},
    {"fails_an_assert", "(call $exception (i32.const 4))", ErrorCode::assert_failed},
    {"lacks_memory_by_its_own_word", "(call $exception (i32.const 5))", ErrorCode::memory_limit},
    {"raises_what_circom_does_not_know", "(call $exception (i32.const -1))", ErrorCode::assert_failed},
};

class HostileProgram : public ::testing::TestWithParam<std::size_t> {
 public:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    std::string choice;
    for (std::size_t i = 0; i < std::size(cases); ++i)
      choice += "(if (i32.eq (i32.load (i32.const 128)) (i32.const " + std::to_string(i) + ")) (then " +
                cases[i].misbehaviour + "))\n";
    program_ = WitnessProgram::open(assemble(folder_->path(), choice), options_in(folder_->path())).value();
    ASSERT_TRUE(program_->compile({}, {}).ok());
  }
  static void TearDownTestSuite() {
    program_.reset();
    delete folder_;
    folder_ = nullptr;
  }

 protected:
  static inline TemporaryFolder* folder_ = nullptr;
  static inline std::shared_ptr<const WitnessProgram> program_;
};

TEST_P(HostileProgram, EndsInANamedErrorWithinItsLimits) {
  const Case& one = cases[GetParam()];
  for (const Engine engine : {Engine::interpreted, Engine::compiled, Engine::automatic}) {
    WitnessOptions options;
    options.engine = engine;
    options.memory_limit_bytes = std::uint64_t{256} << 20;
    if (one.code == ErrorCode::time_limit) options.time_limit = std::chrono::milliseconds(1500);
    const auto begin = std::chrono::steady_clock::now();
    const auto witness = program_->compute("{\"a\": " + std::to_string(GetParam()) + "}", options);
    ASSERT_FALSE(witness.ok());
    EXPECT_EQ(name(witness.error().code), name(one.code)) << to_string(witness.error());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  }
  // Nothing of it is left behind.
  EXPECT_TRUE(program_->compute(R"({"a": 1000})", {}).ok());
}

INSTANTIATE_TEST_SUITE_P(All, HostileProgram, ::testing::Range<std::size_t>(0, std::size(cases)),
                         [](const auto& one) { return std::string(cases[one.param].name); });

class LyingProgram : public ::testing::Test {
 protected:
  std::string error_with(const std::vector<Replacement>& replacements) {
    const auto program =
        WitnessProgram::open(assemble(folder_.path(), "", replacements), options_in(folder_.path()));
    if (!program.ok()) return "not opened: " + to_string(program.error());
    WitnessOptions options;
    options.engine = Engine::interpreted;
    options.memory_limit_bytes = std::uint64_t{256} << 20;
    const auto witness = (*program)->compute(R"({"a": 7})", options);
    return witness.ok() ? "accepted" : std::string(name(witness.error().code));
  }
  TemporaryFolder folder_;
};

TEST_F(LyingProgram, IsAcceptedWhenItDoesNotLie) {
  EXPECT_EQ(error_with({}), "accepted");
}

TEST_F(LyingProgram, OfAnotherCircomIsRefused) {
  EXPECT_EQ(error_with({{"\"getVersion\") (result i32) (i32.const 2)",
                         "\"getVersion\") (result i32) (i32.const 1)"}}),
            "unsupported_version");
}

TEST_F(LyingProgram, OfAnotherFieldIsRefused) {
  EXPECT_EQ(error_with({{"\\01\\00\\00\\f0", "\\02\\00\\00\\f0"}}), "wrong_prime");
  EXPECT_EQ(error_with({{"(result i32) (i32.const 8)", "(result i32) (i32.const 2)"}}), "wrong_prime");
}

TEST_F(LyingProgram, WithAnAbsurdWitnessSizeIsRefused) {
  EXPECT_EQ(error_with({{"\"getWitnessSize\") (result i32) (i32.const 2)",
                         "\"getWitnessSize\") (result i32) (i32.const -1)"}}),
            "memory_limit");
  EXPECT_EQ(error_with({{"\"getWitnessSize\") (result i32) (i32.const 2)",
                         "\"getWitnessSize\") (result i32) (i32.const 0)"}}),
            "bad_format");
}

TEST_F(LyingProgram, WhoseSharedMemoryLiesElsewhereIsRefused) {
  EXPECT_EQ(error_with({{"(result i32) (i32.const 128)", "(result i32) (i32.const 65530)"}}), "bad_format");
  EXPECT_EQ(error_with({{"(result i32) (i32.const 128)", "(result i32) (i32.const -1)"}}), "bad_format");
}

TEST_F(LyingProgram, WhoseWitnessIsNotCanonicalIsRefused) {
  EXPECT_EQ(error_with(
                {{"(i64.store (i32.const 128) (i64.const 1))", "(i64.store (i32.const 128) (i64.const 2))"}}),
            "not_canonical");
  EXPECT_EQ(error_with({{"(then (call $copy (i32.const 128) (i32.const 64)))",
                         "(then (i64.store (i32.const 152) (i64.const -1)))"}}),
            "not_canonical");
}

TEST_F(LyingProgram, ThatWantsMoreInputsThanItNamesIsRefused) {
  EXPECT_EQ(error_with({{"\"getInputSize\") (result i32) (i32.const 1)",
                         "\"getInputSize\") (result i32) (i32.const 9)"}}),
            "signal_missing");
}

TEST_F(LyingProgram, CanBeCancelled) {
  const auto program =
      WitnessProgram::open(assemble(folder_.path(), "(loop $l (br $l))"), options_in(folder_.path()));
  ASSERT_TRUE(program.ok());
  std::stop_source stop;
  WitnessOptions options;
  options.engine = Engine::interpreted;
  options.stop = stop.get_token();
  // The first tick comes while the endless program runs.
  options.progress = [&](const Progress&) { stop.request_stop(); };
  const auto witness = (*program)->compute(R"({"a": 7})", options);
  ASSERT_FALSE(witness.ok());
  EXPECT_EQ(witness.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace penstock::synthesis
