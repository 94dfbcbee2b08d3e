#include "services/cli/libpenstock/embedded_witness.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>

#include "services/cli/libpenstock/key_prover.hpp"
#include "services/synthesis/witness/witness_program.hpp"

namespace penstock::embedding {
namespace {

/// The runner that was installed with this library; empty when there is none, and the program's is looked
/// for.
std::filesystem::path runner_beside_library() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&compute_wtns), &here) == 0) return {};
  const auto folder = std::filesystem::path(here.dli_fname).parent_path();
  for (const auto& place : {folder / "penstock-witness-runner",
                            folder / ".." / "libexec" / "penstock" / "penstock-witness-runner"})
    if (::access(place.c_str(), X_OK) == 0) return place;
  return {};
}

Result<std::filesystem::path> cache_of(const WitnessSettings& settings) {
  if (!settings.cache_folder.empty()) return settings.cache_folder;
  if (auto folder = default_cache_folder("programs")) return *std::move(folder);
  return Error{ErrorCode::bad_request, "there is no folder for compiled witness programs",
               "name one in cache_folder, or set HOME"};
}

}  // namespace

Result<SensitiveVector<std::byte>> compute_wtns(const std::filesystem::path& wasm,
                                                std::string_view input_json,
                                                const WitnessSettings& settings) {
  synthesis::ProgramOptions program_options;
  program_options.cache_folder = PENSTOCK_TRY(cache_of(settings));
  program_options.runner = settings.runner.empty() ? runner_beside_library() : settings.runner;
  auto program = synthesis::WitnessProgram::open(wasm, program_options);
  if (!program.ok()) return std::move(program).error().in(wasm.string());
  synthesis::WitnessOptions options;
  constexpr double longest_seconds = 86'400;
  options.time_limit = std::chrono::milliseconds(
      static_cast<std::int64_t>(std::min(settings.time_limit_seconds, longest_seconds) * 1e3));
  options.memory_limit_bytes = settings.memory_limit_bytes;
  const auto witness = PENSTOCK_TRY((*program)->compute(input_json, options));
  // The next call finds the program compiled; a compile that cannot start costs speed alone.
  if (witness.engine() == synthesis::Engine::interpreted) (void)(*program)->compile_detached();
  auto bytes = circuit::to_wtns(witness.view());
  SensitiveVector<std::byte> secret(bytes.size());
  std::copy(bytes.begin(), bytes.end(), secret.reveal().begin());
  wipe(bytes);
  return secret;
}

}  // namespace penstock::embedding
