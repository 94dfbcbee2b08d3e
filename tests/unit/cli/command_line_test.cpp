// The command line as scripts call it: exit statuses, files, aliases. In this process, on tests/vectors.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "services/cli/command_line.hpp"

namespace penstock::cli {
namespace {

class CommandLine : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string path = testing::TempDir() + "penstock-line-XXXXXX";
    folder_ = mkdtemp(path.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// arguments[0] is the program's name.
  int run(const std::vector<std::string>& arguments) {
    std::FILE* out = std::tmpfile();
    std::FILE* err = std::tmpfile();
    Output output(out, err);
    Environment environment;
    environment.cache_folder = folder_ / "cache";
    environment.data_folder = folder_ / "data";
    Context context(environment, output);
    const auto status = run_command_line(arguments, context);
    out_ = text(out);
    err_ = text(err);
    return static_cast<int>(status);
  }
  [[nodiscard]] std::string vector(const std::string& name) const {
    return std::string(PENSTOCK_TEST_VECTORS) + "/" + GetParam() + "/" + name;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
  }

  std::filesystem::path folder_;
  std::string out_, err_;

 private:
  static std::string text(std::FILE* stream) {
    std::rewind(stream);
    std::string content;
    for (int c = std::fgetc(stream); c != EOF; c = std::fgetc(stream)) content += static_cast<char>(c);
    std::fclose(stream);
    return content;
  }
};

TEST_P(CommandLine, proves_and_verifies_every_circuit) {
  for (const std::string circuit : {"mul", "chain", "nopub", "unused", "square", "linear"}) {
    ASSERT_EQ(run({"penstock", "prove", vector(circuit + ".zkey"), vector(circuit + ".wtns"), file("p"),
                   file("q")}),
              0)
        << circuit << ": " << err_;
    EXPECT_EQ(run({"penstock", "verify", vector(circuit + ".vk.json"), file("q"), file("p")}), 0) << err_;
    EXPECT_EQ(out_, "OK!\n");
    EXPECT_EQ(nlohmann::json::parse(read(file("q"))),
              nlohmann::json::parse(read(vector(circuit + ".public.json"))));
  }
}

TEST_P(CommandLine, called_as_rapidsnark_or_prover_it_proves) {
  for (const std::string called : {"/usr/bin/rapidsnark", "prover"}) {
    EXPECT_EQ(run({called, vector("mul.zkey"), vector("mul.wtns"), file("p"), file("q")}), 0) << err_;
    EXPECT_TRUE(std::filesystem::exists(file("p")));
    std::filesystem::remove(file("p"));
  }
}

TEST_P(CommandLine, snarkjs_names_are_aliases) {
  EXPECT_EQ(
      run({"penstock", "groth16", "prove", vector("mul.zkey"), vector("mul.wtns"), file("p"), file("q")}), 0);
  EXPECT_EQ(run({"penstock", "groth16", "verify", vector("mul.vk.json"), file("q"), file("p")}), 0);
}

TEST_P(CommandLine, snarkjs_proofs_are_accepted_and_altered_ones_refused) {
  EXPECT_EQ(run({"penstock", "verify", vector("chain.vk.json"), vector("chain.public.json"),
                 vector("chain.proof.json")}),
            0);
  auto publics = nlohmann::json::parse(read(vector("chain.public.json")));
  publics[1] = "4";
  std::ofstream(file("altered")) << publics;
  EXPECT_EQ(run({"penstock", "verify", vector("chain.vk.json"), file("altered"), vector("chain.proof.json")}),
            1);
  EXPECT_EQ(out_, "Invalid proof\n");
  publics.push_back("1");
  std::ofstream(file("altered")) << publics;
  EXPECT_EQ(run({"penstock", "verify", vector("chain.vk.json"), file("altered"), vector("chain.proof.json")}),
            1);
}

TEST_P(CommandLine, an_unsatisfied_witness_leaves_no_file) {
  EXPECT_EQ(
      run({"penstock", "prove", vector("chain.zkey"), vector("f_wrongwire.wtns"), file("p"), file("q")}), 1);
  EXPECT_NE(err_.find("penstock: error[witness_unsatisfied] "), std::string::npos) << err_;
  EXPECT_FALSE(std::filesystem::exists(file("p")));
  EXPECT_FALSE(std::filesystem::exists(file("q")));
}

TEST_P(CommandLine, json_has_stable_keys) {
  ASSERT_EQ(run({"penstock", "prove", vector("mul.zkey"), vector("mul.wtns"), file("p"), file("q"), "--json",
                 "--repeat", "3"}),
            0);
  const auto object = nlohmann::json::parse(out_);
  for (const char* key :
       {"ok", "verified", "curve", "device", "wires", "publics", "domain_size", "proof_file", "public_file",
        "proofs", "load_seconds", "prove_seconds", "prove_seconds_all", "phases"})
    EXPECT_TRUE(object.contains(key)) << key;
  EXPECT_EQ(object["proofs"], 3);
  EXPECT_EQ(object["curve"], GetParam());
}

TEST_P(CommandLine, a_key_is_checked_against_its_r1cs_and_verification_key) {
  EXPECT_EQ(run({"penstock", "check", vector("chain.zkey"), "--r1cs", vector("chain.r1cs"), "--vk",
                 vector("chain.vk.json")}),
            0)
      << err_;
  EXPECT_EQ(run({"penstock", "check", vector("chain.zkey"), "--r1cs", vector("square.r1cs")}), 1);
  EXPECT_NE(err_.find("error[key_mismatch]"), std::string::npos) << err_;
  EXPECT_EQ(run({"penstock", "check", vector("chain.zkey"), "--vk", vector("mul.vk.json")}), 1);
}

TEST_P(CommandLine, a_witness_is_checked_and_the_broken_constraint_named) {
  EXPECT_EQ(run({"penstock", "check", vector("chain.wtns"), "--r1cs", vector("chain.r1cs")}), 0) << err_;
  EXPECT_EQ(run({"penstock", "check", vector("f_wrongwire.wtns"), "--r1cs", vector("chain.r1cs"), "--sym",
                 vector("chain.sym")}),
            1);
  EXPECT_NE(err_.find("error[witness_unsatisfied]"), std::string::npos) << err_;
  EXPECT_NE(err_.find("main."), std::string::npos) << err_;
}

TEST_P(CommandLine, a_development_key_proves_and_warns) {
  ASSERT_EQ(
      run({"penstock", "setup", vector("square.r1cs"), file("k.zkey"), file("vk.json"), "--insecure-dev"}), 0)
      << err_;
  ASSERT_EQ(run({"penstock", "prove", file("k.zkey"), vector("square.wtns"), file("p"), file("q")}), 0)
      << err_;
  EXPECT_NE(err_.find("insecure"), std::string::npos);
  EXPECT_EQ(run({"penstock", "verify", file("vk.json"), file("q"), file("p")}), 0);
  EXPECT_EQ(run({"penstock", "setup", vector("square.r1cs"), file("k2.zkey"), file("vk2.json")}), 2);
  EXPECT_FALSE(std::filesystem::exists(file("k2.zkey")));
}

TEST_P(CommandLine, exports_are_snarkjs_byte_for_byte_in_meaning) {
  ASSERT_EQ(run({"penstock", "export", "vk", vector("chain.zkey"), file("vk.json")}), 0) << err_;
  EXPECT_EQ(nlohmann::json::parse(read(file("vk.json"))),
            nlohmann::json::parse(read(vector("chain.vk.json"))));
  ASSERT_EQ(run({"penstock", "export", "calldata", vector("chain.public.json"), vector("chain.proof.json")}),
            0)
      << err_;
  std::string calldata = read(vector("chain.calldata"));
  while (!calldata.empty() && calldata.back() == '\n') calldata.pop_back();
  EXPECT_EQ(out_, calldata + "\n");
}

TEST_P(CommandLine, the_solidity_verifier_is_written_for_bn254_only) {
  const bool bn254 = std::string(GetParam()) == "bn254";
  EXPECT_EQ(run({"penstock", "export", "verifier", vector("chain.vk.json"), file("v.sol")}), bn254 ? 0 : 1);
  EXPECT_EQ(std::filesystem::exists(file("v.sol")), bn254);
}

TEST_P(CommandLine, usage_errors_are_status_two_on_one_line) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"penstock"},
                                                    {"penstock", "prov"},
                                                    {"penstock", "prove", "--repeat", "0"},
                                                    {"penstock", "prove", "a", "b", "c", "d", "e"},
                                                    {"penstock", "submit"},
                                                    {"penstock", "explain", "--url", "ftp://x"},
                                                    {"penstock", "explain", "--url", "http://:1"},
                                                    {"penstock", "explain", "--metrics", "ftp://x"},
                                                    {"penstock", "explain", "--seconds", "nan"},
                                                    {"penstock", "explain", "--seconds", "inf"},
                                                    {"penstock", "explain", "--seconds", "0"},
                                                    {"penstock", "bench", "staging", "--seconds", "nan"}}) {
    EXPECT_EQ(run(arguments), 2);
    EXPECT_EQ(err_.rfind("penstock: error[bad_request]", 0), 0u) << err_;
    EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
  }
}

// Fault: a benchmark of minutes ended with nowhere to write its first result.
TEST_P(CommandLine, a_benchmark_that_cannot_keep_its_results_does_not_begin) {
  for (const std::vector<std::string>& bench :
       {std::vector<std::string>{"penstock", "bench", "field", "--runs", "1"},
        {"penstock", "bench", "staging", "--sizes", "3", "--seconds", "0.1"},
        {"penstock", "bench", "remote", "--megabytes", "16"}}) {
    auto arguments = bench;
    arguments.insert(arguments.end(), {"--append", file("no/such/folder.jsonl")});
    EXPECT_EQ(run(arguments), 1);
    EXPECT_EQ(err_.rfind("penstock: error[file_unwritable]", 0), 0u) << err_;
    EXPECT_EQ(out_, "") << "not even a head";
  }
}

TEST_P(CommandLine, info_says_what_a_file_holds) {
  EXPECT_EQ(run({"penstock", "info", vector("chain.zkey"), "--json"}), 0) << err_;
  EXPECT_EQ(nlohmann::json::parse(out_)["curve"], GetParam());
  EXPECT_EQ(run({"penstock", "info", vector("mul.in.json")}), 1);
}

TEST_P(CommandLine, a_missing_file_is_named) {
  EXPECT_EQ(run({"penstock", "prove", "nowhere.zkey", vector("mul.wtns"), file("p"), file("q")}), 1);
  EXPECT_EQ(err_.rfind("penstock: error[file_unreadable] nowhere.zkey", 0), 0u) << err_;
}

INSTANTIATE_TEST_SUITE_P(curves, CommandLine, testing::Values("bn254", "bls12_381"));

}  // namespace
}  // namespace penstock::cli
