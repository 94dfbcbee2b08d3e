#include "support.hpp"

namespace penstock::synthesis {
namespace {

void replace(std::string& text, const Replacement& replacement) {
  const auto at = text.find(replacement.from);
  ASSERT_NE(at, std::string::npos) << replacement.from;
  text.replace(at, replacement.from.size(), replacement.to);
}

}  // namespace

std::filesystem::path vectors() {
  return PENSTOCK_TEST_VECTORS;
}
std::filesystem::path programs() {
  return PENSTOCK_TEST_PROGRAMS;
}
std::filesystem::path runner() {
  return std::filesystem::path(PENSTOCK_BIN_DIR) / "penstock-witness-runner";
}

std::filesystem::path assemble(const std::filesystem::path& folder, const std::string& misbehaviour,
                               const std::vector<Replacement>& replacements) {
  std::string text = read_file(programs() / "circom_interface.wat");
  replace(text, {";; MISBEHAVIOUR", misbehaviour});
  for (const Replacement& replacement : replacements) replace(text, replacement);
  const auto source = folder / "program.wat", program = folder / "program.wasm";
  write_file(source, text);
  const std::string command = "/usr/bin/wat2wasm " + source.string() + " -o " + program.string();
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return program;
}

}  // namespace penstock::synthesis
