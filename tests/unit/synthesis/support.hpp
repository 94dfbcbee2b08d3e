// What the suites of this folder share: a temporary folder, programs assembled from text, the test vectors.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "services/synthesis/witness/witness_program.hpp"

namespace penstock::synthesis {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "penstock-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

[[nodiscard]] std::filesystem::path vectors();
[[nodiscard]] std::filesystem::path programs();
[[nodiscard]] std::filesystem::path runner();

inline ProgramOptions options_in(const std::filesystem::path& folder) {
  ProgramOptions options;
  options.cache_folder = folder / "programs";
  options.runner = runner();
  return options;
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// programs/circom_interface.wat with `misbehaviour` inside setInputSignal and other pieces replaced;
/// assembled by wat2wasm (package wabt) at test time.
struct Replacement {
  std::string from, to;
};
[[nodiscard]] std::filesystem::path assemble(const std::filesystem::path& folder,
                                             const std::string& misbehaviour,
                                             const std::vector<Replacement>& replacements = {});

}  // namespace penstock::synthesis
