// A circom witness program (.wasm) and the witnesses it computes. The wasm is somebody else's code: it never
// runs in this process. It is checked, translated to C and compiled once per content hash into a cached
// shared object (penstock-witness-runner compile), and each witness is computed by a child process of its own
// (penstock-witness-runner run) under limits, in a sandbox. Until the object exists the child interprets the
// wasm. Shape: open() once per program, compute() once per witness. Ownership: a program is shared and
// immutable; a ComputedWitness owns its values and wipes them. Threads: everything may be called from any
// number of threads at once. Errors: open: file_unreadable, bad_magic, file_truncated, unsupported_version
// (not a circom 2 program),
//   bad_format (an import or a memory that no circom program has), body_too_large. compute: signal_missing,
//   signal_surplus, signal_value, bad_format (not JSON), assert_failed (names template and line), time_limit,
//   memory_limit, cancelled, wrong_prime, internal. A failing program harms no later call.
// Cost: open hashes the file; compile 1-35 s of one core, once; compute about 3 ms + the program's own time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/circuit/proof.hpp"
#include "common/circuit/witness.hpp"
#include "services/synthesis/witness/shared_memory.hpp"

namespace penstock::circuit {
class SymbolTable;
}

namespace penstock::synthesis {

struct ProgramOptions {
  /// Compiled programs. Created with mode 0700; refused (conflict) when it is not ours alone. REQUIRED.
  std::filesystem::path cache_folder;
  std::uint64_t cache_max_bytes = std::uint64_t{2}
                                  << 30;  ///< the least recently used are removed beyond this
  std::uint64_t max_wasm_bytes = std::uint64_t{256} << 20;
  /// penstock-witness-runner; empty: beside the running program, or in ../libexec/penstock from there.
  std::filesystem::path runner;
};

/// Which way a witness is computed.
enum class Engine : std::uint8_t {
  /// The compiled object when it is in the cache. Else the interpreter; when that takes long, a compile is
  /// started
  /// beside it (detached: it outlives this process and serves the next one), and overtakes it if it is done
  /// first.
  automatic,
  compiled,     ///< compiles first when needed, and waits for it
  interpreted,  ///< never compiles
};

struct Progress {
  enum class Step : std::uint8_t { translating, compiling, compiled, computing } step = Step::computing;
  std::chrono::milliseconds elapsed{0};
  std::chrono::milliseconds expected{0};  ///< an estimate of the whole step; zero: unknown
};
using ProgressCallback = std::function<void(const Progress&)>;

struct WitnessOptions {
  Engine engine = Engine::automatic;
  std::chrono::milliseconds time_limit{60'000};               ///< wall time of the child, compiling apart
  std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;  ///< of the child
  const circuit::SymbolTable* symbols = nullptr;              ///< names missing signals; may be null
  std::stop_token stop = {};                                  ///< a request kills the child: cancelled
  ProgressCallback progress = {};                             ///< called on the calling thread; may be empty
};

/// The values of all wires, checked canonical, w[0] = 1. Move-only; wiped on destruction.
class ComputedWitness {
 public:
  ComputedWitness(SharedMemory values, CurveId curve, std::vector<std::string> notes, Engine engine)
      : values_(std::move(values)), curve_(curve), notes_(std::move(notes)), engine_(engine) {}
  [[nodiscard]] circuit::WitnessView view() const {
    return {curve_, UnalignedSpan<circuit::Scalar>(values_.bytes())};
  }
  [[nodiscard]] CurveId curve() const { return curve_; }
  /// What the user should hear though it is no error ("signal a[3] was reduced modulo the field's prime").
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] Engine engine() const { return engine_; }  ///< compiled or interpreted
  /// How long compute() waited for a compile; zero when the object was there or not needed.
  [[nodiscard]] std::chrono::nanoseconds waited_for_compile() const { return waited_for_compile_; }
  void set_waited_for_compile(std::chrono::nanoseconds waited) { waited_for_compile_ = waited; }

 private:
  SharedMemory values_;
  CurveId curve_;
  std::vector<std::string> notes_;
  Engine engine_;
  std::chrono::nanoseconds waited_for_compile_{0};
};

class WitnessProgram {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const WitnessProgram>> open(const std::filesystem::path& wasm,
                                                                          const ProgramOptions& options);
  virtual ~WitnessProgram() = default;

  /// True when the compiled object is in the cache (asks the file system).
  [[nodiscard]] virtual bool is_compiled() const = 0;
  /// Compiles now and waits, unless it is compiled already; two processes that ask at once compile once.
  [[nodiscard]] virtual Status compile(std::stop_token stop, const ProgressCallback& progress) const = 0;
  /// Starts a compile that outlives this process (session of its own, same limits), for a command line that
  /// ends before it. Does nothing when the object is there.
  [[nodiscard]] virtual Status compile_detached() const = 0;

  /// Computes one witness from input.json.
  [[nodiscard]] virtual Result<ComputedWitness> compute(std::string_view input_json,
                                                        const WitnessOptions& options) const = 0;

  [[nodiscard]] virtual const std::filesystem::path& path() const = 0;
  [[nodiscard]] virtual const std::string& content_hash() const = 0;  ///< SHA-256 of the wasm, 64 hex digits
};

}  // namespace penstock::synthesis
