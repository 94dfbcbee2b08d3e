// Compiling a witness program into the cache, in a child. Ownership: a value. Threads: any number at once.
// Errors: not_found (no compiler), internal (the compiler failed, with what it said), time_limit, cancelled.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "common/base/result.hpp"
#include "services/synthesis/witness/program_cache.hpp"
#include "services/synthesis/witness/witness_program.hpp"

namespace penstock::synthesis {

class ProgramCompile {
 public:
  ProgramCompile(ProgramCache cache, std::filesystem::path runner, std::string key, std::uint64_t wasm_bytes)
      : cache_(std::move(cache)), runner_(std::move(runner)), key_(std::move(key)), wasm_bytes_(wasm_bytes) {}

  /// `wasm`: a descriptor of the program. Does nothing when the object is there.
  [[nodiscard]] Status run(int wasm, std::stop_token stop, const ProgressCallback& progress) const;
  [[nodiscard]] Status run_detached(int wasm) const;

  [[nodiscard]] const ProgramCache& cache() const { return cache_; }
  [[nodiscard]] const std::filesystem::path& runner() const { return runner_; }
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  [[nodiscard]] std::vector<std::string> arguments(const char* lifetime) const;
  ProgramCache cache_;
  std::filesystem::path runner_;
  std::string key_;
  std::uint64_t wasm_bytes_;
};

}  // namespace penstock::synthesis
