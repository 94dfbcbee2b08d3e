#include "services/synthesis/witness/witness_program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/circuit/content_hash.hpp"
#include "common/circuit/file_io.hpp"
#include "services/synthesis/witness/input_json.hpp"
#include "services/synthesis/witness/program_cache.hpp"
#include "services/synthesis/witness/program_compile.hpp"
#include "services/synthesis/witness/wasm_module.hpp"
#include "services/synthesis/witness/witness_run.hpp"

namespace penstock::synthesis {
namespace {

using protocol::FailureKind;

/// Small circuits are done by then, and need no compiler at all.
constexpr std::chrono::milliseconds compile_after{400};

/// The wasm in a sealed file without a name: children read exactly the bytes that were checked and hashed.
Result<Descriptor> sealed_file(std::span<const std::byte> bytes) {
  Descriptor file = PENSTOCK_TRY(SharedMemory::create_file("penstock-program"));
  while (!bytes.empty()) {
    const ssize_t put = ::write(file.number(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0)
      return Error{ErrorCode::out_of_memory, std::string("cannot keep the program: ") + std::strerror(errno)};
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  if (::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    return Error{ErrorCode::internal, std::string("cannot seal the program: ") + std::strerror(errno)};
  return file;
}

/// These are attributed by whoever knows where the input came from.
bool is_about_the_input(ErrorCode code) {
  return code == ErrorCode::signal_missing || code == ErrorCode::signal_surplus ||
         code == ErrorCode::signal_value || code == ErrorCode::assert_failed || code == ErrorCode::cancelled;
}

class Program final : public WitnessProgram {
 public:
  Program(std::filesystem::path path, std::string hash, WasmShape shape, Descriptor wasm,
          ProgramCompile compiler)
      : path_(std::move(path)),
        hash_(std::move(hash)),
        shape_(shape),
        wasm_(std::move(wasm)),
        compiler_(std::move(compiler)) {}

  bool is_compiled() const override { return compiler_.cache().contains(compiler_.key()); }
  Status compile(std::stop_token stop, const ProgressCallback& progress) const override {
    return compiler_.run(wasm_.number(), std::move(stop), progress);
  }
  Status compile_detached() const override { return compiler_.run_detached(wasm_.number()); }

  Result<ComputedWitness> compute(std::string_view input_json, const WitnessOptions& options) const override {
    const auto signals = PENSTOCK_TRY(parse_input_json(input_json));
    if (std::uint64_t{shape_.memory_pages} * wasm_page_bytes > options.memory_limit_bytes)
      return Error{ErrorCode::memory_limit,
                   "the witness program wants more memory at its start than its limit",
                   "raise the memory limit, or split the circuit", path_.string()};
    auto outcome = compute_with(signals, options);
    if (!outcome.ok() && !is_about_the_input(outcome.error().code))
      return std::move(outcome).error().in(path_.string());
    return outcome;
  }

  const std::filesystem::path& path() const override { return path_; }
  const std::string& content_hash() const override { return hash_; }

 private:
  using Signals = std::vector<InputSignal>;

  Result<ComputedWitness> compute_with(const Signals& signals, const WitnessOptions& options) const {
    if (options.engine == Engine::compiled) return compile_and_run(signals, options);
    if (options.engine == Engine::automatic && is_compiled()) {
      bool unusable = false;
      auto outcome = run_compiled(signals, options, unusable);
      if (!unusable) return outcome;
    }
    return interpret(signals, options);
  }

  Result<ComputedWitness> compile_and_run(const Signals& signals, const WitnessOptions& options) const {
    const auto begin = std::chrono::steady_clock::now();
    PENSTOCK_TRY(compile(options.stop, options.progress));
    const auto waited = std::chrono::steady_clock::now() - begin;
    bool unusable = false;
    auto outcome = run_compiled(signals, options, unusable);
    if (outcome.ok()) outcome->set_waited_for_compile(waited);
    return outcome;
  }

  Result<ComputedWitness> run_compiled(const Signals& signals, const WitnessOptions& options,
                                       bool& unusable) const {
    const auto object = PENSTOCK_TRY(compiler_.cache().find(compiler_.key()));
    if (!object) {
      unusable = true;
      return Error{ErrorCode::internal, "the compiled program vanished from the cache"};
    }
    WitnessRun run({compiler_.runner(), Engine::compiled, object->number(), {}}, options);
    auto outcome = run.run(signals);
    unusable = run.failure() == FailureKind::unusable;
    // An object that cannot be loaded (a damaged file, a copy from another machine) is made anew next time.
    if (unusable) compiler_.cache().remove(compiler_.key());
    return outcome;
  }

  Result<ComputedWitness> interpret(const Signals& signals, const WitnessOptions& options) const {
    const bool may_compile = options.engine == Engine::automatic;
    bool asked = false;
    WitnessRun run({compiler_.runner(), Engine::interpreted, wasm_.number(),
                    [&](std::chrono::milliseconds elapsed) {
                      if (!may_compile || elapsed < compile_after) return false;
                      if (!std::exchange(asked, true)) static_cast<void>(compile_detached());
                      return is_compiled();
                    }},
                   options);
    auto outcome = run.run(signals);
    if (outcome.ok() || !may_compile) return outcome;
    // The interpreter is slower by a factor of a hundred and has a small call stack of fixed size: neither
    // its time nor its stack is the program's.
    const bool too_slow = outcome.error().code == ErrorCode::time_limit && !run.failure();
    if (!run.given_up() && !too_slow && run.failure() != FailureKind::stack) return outcome;
    auto compiled = compile_and_run(signals, options);
    // Without a compiler the interpreter's word stands.
    if (!compiled.ok() && compiled.error().code == ErrorCode::not_found) return outcome;
    return compiled;
  }

  std::filesystem::path path_;
  std::string hash_;
  WasmShape shape_;
  Descriptor wasm_;
  ProgramCompile compiler_;
};

}  // namespace

Result<std::shared_ptr<const WitnessProgram>> WitnessProgram::open(const std::filesystem::path& wasm,
                                                                   const ProgramOptions& options) {
  const auto bytes = PENSTOCK_TRY(circuit::read_secret_file(wasm, options.max_wasm_bytes));
  auto shape = inspect_circom_wasm(bytes.reveal());
  if (!shape.ok()) return std::move(shape).error().in(wasm.string());
  const std::span<const std::byte> parts[] = {bytes.reveal()};
  std::string hash = circuit::hex_text(circuit::plain_digest(parts));
  const auto stripped = without_custom_sections(bytes.reveal());
  auto file = PENSTOCK_TRY(sealed_file(stripped));
  auto cache = PENSTOCK_TRY(ProgramCache::open(options.cache_folder, options.cache_max_bytes));
  auto runner = PENSTOCK_TRY(find_runner(options.runner));
  ProgramCompile compiler(std::move(cache), std::move(runner), cache_key(hash), stripped.size());
  return std::shared_ptr<const WitnessProgram>(
      std::make_shared<Program>(wasm, std::move(hash), *shape, std::move(file), std::move(compiler)));
}

}  // namespace penstock::synthesis
