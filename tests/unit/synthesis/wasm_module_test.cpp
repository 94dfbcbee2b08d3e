#include "services/synthesis/witness/wasm_module.hpp"

#include <random>

#include "support.hpp"

namespace penstock::synthesis {
namespace {

class WasmModule : public ::testing::Test {
 protected:
  std::string code_of(const std::string& bytes) {
    const auto shape = inspect_circom_wasm(bytes_of(bytes));
    return shape.ok() ? "accepted" : std::string(name(shape.error().code));
  }
  /// The interface program with something replaced.
  std::string code_with(const std::string& from, const std::string& to) {
    return code_of(read_file(assemble(folder_.path(), "", {{from, to}})));
  }
  TemporaryFolder folder_;
  const std::string mul_ = read_file(vectors() / "bn254/mul.wasm");
};

TEST_F(WasmModule, AcceptsWhatCircomWrites) {
  for (const char* curve : {"bn254", "bls12_381"})
    for (const char* circuit : {"mul", "chain", "nopub", "unused", "square", "linear", "customgate"})
      EXPECT_EQ(code_of(read_file(vectors() / curve / (std::string(circuit) + ".wasm"))), "accepted")
          << circuit;
  EXPECT_EQ(code_of(read_file(assemble(folder_.path(), ""))), "accepted");
}

TEST_F(WasmModule, RefusesEveryPrefixThatLacksADeclarationOrCode) {
  // What is cut off behind the code (data, names) leaves a whole module, which then fails as a program.
  std::size_t whole = 0;
  for (std::size_t size = 0; size < mul_.size(); ++size) whole += code_of(mul_.substr(0, size)) == "accepted";
  EXPECT_LE(whole, 2U);
}

TEST_F(WasmModule, SurvivesFlippedBytes) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = mul_;
    for (int flips = 0; flips < 3; ++flips) bytes[random() % 2000] = static_cast<char>(random());
    static_cast<void>(code_of(bytes));
  }
}

TEST_F(WasmModule, RefusesWhatIsNoWasm) {
  EXPECT_EQ(code_of(""), "file_truncated");
  EXPECT_EQ(code_of("not a program at all"), "bad_magic");
  EXPECT_EQ(code_of(std::string("\0asm\2\0\0\0", 8)), "unsupported_version");
  EXPECT_EQ(code_of(std::string("\0asm\1\0\0\0", 8)), "unsupported_version");
  EXPECT_EQ(code_of(std::string("\0asm\1\0\0\0\1\xff\xff\xff\xff\x0f", 14)), "file_truncated");
}

TEST_F(WasmModule, RefusesUnknownImports) {
  EXPECT_EQ(code_with("\"showSharedRWMemory\"", "\"system\""), "bad_format");
  EXPECT_EQ(code_with("(import \"runtime\" \"showSharedRWMemory\"",
                      "(import \"wasi_snapshot_preview1\" \"fd_write\""),
            "bad_format");
  EXPECT_EQ(code_with("(func $show)", "(func $show (param i64))"), "bad_format");
  EXPECT_EQ(code_with("(memory (export \"memory\") 1)", "(import \"runtime\" \"memory\" (memory 1))"),
            "bad_format");
}

TEST_F(WasmModule, RefusesMissingAndStrangeExports) {
  EXPECT_EQ(code_with("(export \"getWitness\")", "(export \"getMessageChar2\")"), "bad_format");
  EXPECT_EQ(code_with("(func (export \"getWitness\")", "(func $unnamed"), "unsupported_version");
  EXPECT_EQ(code_with("(func (export \"init\") (param i32))", "(func (export \"init\") (param i64))"),
            "unsupported_version");
  EXPECT_EQ(code_with("(memory (export \"memory\") 1)", "(memory 1)"), "unsupported_version");
}

TEST_F(WasmModule, BoundsMemoryAndTables) {
  EXPECT_EQ(code_with("(memory (export \"memory\") 1)", "(memory (export \"memory\") 65536)"),
            "memory_limit");
  EXPECT_EQ(
      code_with("(memory (export \"memory\") 1)", "(memory (export \"memory\") 1) (table 100000000 funcref)"),
      "bad_format");
}

TEST_F(WasmModule, StripsNamesAndNothingElse) {
  const auto stripped = without_custom_sections(bytes_of(mul_));
  const std::string text(reinterpret_cast<const char*>(stripped.data()), stripped.size());
  EXPECT_EQ(code_of(text), "accepted");
  EXPECT_LT(text.size(), mul_.size());
  EXPECT_NE(mul_.find("Fr_int_mul"), std::string::npos);
  EXPECT_EQ(text.find("Fr_int_mul"), std::string::npos);
}

}  // namespace
}  // namespace penstock::synthesis
