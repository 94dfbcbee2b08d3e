// A circom witness for a program that embeds the library: from a wasm and input.json to the bytes of a .wtns.
// Ownership: the bytes are wiped when they die. Threads: any. Errors: those of witness_program.hpp;
// bad_request (no cache folder and no home). Cost: a process start (3 ms) and the program's own time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "common/base/result.hpp"
#include "common/base/sensitive.hpp"

namespace penstock::embedding {

struct WitnessSettings {
  std::filesystem::path runner;        ///< empty: looked for beside the library, then beside the program
  std::filesystem::path cache_folder;  ///< empty: the user's cache folder
  double time_limit_seconds = 60;
  std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;
};

[[nodiscard]] Result<SensitiveVector<std::byte>> compute_wtns(const std::filesystem::path& wasm,
                                                              std::string_view input_json,
                                                              const WitnessSettings& settings);

}  // namespace penstock::embedding
