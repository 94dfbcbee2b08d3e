#include <dlfcn.h>

#include <cstring>
#include <string>

#include "services/synthesis/witness/runner/engine.hpp"
#include "services/synthesis/witness/runner/fail.hpp"
#include "services/synthesis/witness/runner/program_abi.h"

namespace penstock::synthesis::runner {
namespace {

// The C side calls plain functions: the one instance of this process stands behind them.
Host* the_host = nullptr;

// wasm_rt_trap_t's value for a used-up call stack.
constexpr std::uint32_t trap_exhaustion = 8;

[[noreturn]] void on_exception(std::uint32_t code) {
  the_host->exception(code);
}
void on_print_error() {
  the_host->print_error();
}
void on_write_message() {
  the_host->write_message();
}
[[noreturn]] void on_trap(std::uint32_t reason, const char* text) {
  const auto kind = reason == trap_exhaustion ? protocol::FailureKind::stack : protocol::FailureKind::trap;
  fail(kind, reason, text);
}
[[noreturn]] void on_memory_refused() {
  fail(protocol::FailureKind::memory, 0, "");
}

class CompiledEngine final : public Engine {
 public:
  CompiledEngine(const penstock_program& program, const EngineOptions& options)
      : program_(program), callbacks_{on_exception, on_print_error,    on_write_message,
                                      on_trap,      on_memory_refused, options.max_memory_pages} {}

  void instantiate() override { program_.instantiate(&callbacks_); }
  LinearMemory memory() override {
    std::uint32_t size_bytes = 0;
    std::uint8_t* data = program_.memory(&size_bytes);
    return {reinterpret_cast<std::byte*>(data), size_bytes};
  }
  std::uint32_t version() override { return program_.version(); }
  std::uint32_t minor_version() override { return program_.minor_version(); }
  std::uint32_t patch_version() override { return program_.patch_version(); }
  std::uint32_t shared_memory_start() override { return program_.shared_memory_start(); }
  void init(std::uint32_t sanity_check) override { program_.init(sanity_check); }
  void set_input_signal(std::uint32_t high, std::uint32_t low, std::uint32_t index) override {
    program_.set_input_signal(high, low, index);
  }
  std::int32_t input_signal_size(std::uint32_t high, std::uint32_t low) override {
    return static_cast<std::int32_t>(program_.input_signal_size(high, low));
  }
  void raw_prime() override { program_.raw_prime(); }
  std::uint32_t field_words() override { return program_.field_words(); }
  std::uint32_t witness_size() override { return program_.witness_size(); }
  std::uint32_t input_size() override { return program_.input_size(); }
  void get_witness(std::uint32_t index) override { program_.get_witness(index); }
  std::uint32_t message_char() override { return program_.message_char(); }

 private:
  const penstock_program& program_;
  penstock_host callbacks_;
};

}  // namespace

std::unique_ptr<Engine> open_compiled_engine(Host& host, const EngineOptions& options) {
  the_host = &host;
  // By descriptor: the file that the service opened and checked, whatever its path holds by now.
  const std::string path = "/proc/self/fd/" + std::to_string(protocol::program_descriptor);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(protocol::FailureKind::unusable, 0, ::dlerror());
  const auto* program = static_cast<const penstock_program*>(::dlsym(library, PENSTOCK_PROGRAM_SYMBOL));
  if (program == nullptr || program->abi != PENSTOCK_PROGRAM_ABI)
    fail(protocol::FailureKind::unusable, 0, "not a compiled program of this version");
  auto engine = std::make_unique<CompiledEngine>(*program, options);
  host.attach(*engine);
  return engine;
}

}  // namespace penstock::synthesis::runner
