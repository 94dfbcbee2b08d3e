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
    if (!outcome.ok()) return std::move(outcome).error().in(path_.string());
    return outcome;
  }

  const std::filesystem::path& path() const override { return path_; }
  const std::string& content_hash() const override { return hash_; }

 private:
  Result<ComputedWitness> compute_with(const std::vector<InputSignal>& signals,
                                       const WitnessOptions& options) const {
    if (options.engine == Engine::interpreted) return interpret(signals, options);
    if (options.engine == Engine::compiled) PENSTOCK_TRY(compile(options.stop, options.progress));
    const auto object = PENSTOCK_TRY(compiler_.cache().find(compiler_.key()));
    if (!object && options.engine == Engine::automatic) return interpret(signals, options);
    if (!object) return Error{ErrorCode::internal, "the compiled program vanished from the cache"};
    WitnessRun run({compiler_.runner(), Engine::compiled, object->number()}, options);
    auto outcome = run.run(signals);
    // An object that cannot be loaded (a damaged file, a copy from another machine) is made anew next time.
    if (outcome.ok() || run.failure() != FailureKind::unusable) return outcome;
    compiler_.cache().remove(compiler_.key());
    return interpret(signals, options);
  }

  Result<ComputedWitness> interpret(const std::vector<InputSignal>& signals,
                                    const WitnessOptions& options) const {
    WitnessRun run({compiler_.runner(), Engine::interpreted, wasm_.number()}, options);
    auto outcome = run.run(signals);
    // wabt's interpreter has a small call stack of fixed size; the compiled program has the machine's.
    if (outcome.ok() || run.failure() != FailureKind::stack || options.engine == Engine::interpreted)
      return outcome;
    WitnessOptions again = options;
    again.engine = Engine::compiled;
    return compute_with(signals, again);
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
