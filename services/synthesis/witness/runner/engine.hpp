// One instance of a witness program, however it is executed. Both engines end the process through fail() when
// the program traps, raises circom's exception or exceeds its memory: an instance is used once.
// C++17: interpreted_engine.cpp includes it, and wabt's headers are no C++20.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace penstock::synthesis::runner {

struct LinearMemory {
  std::byte* data = nullptr;
  std::size_t size_bytes = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Runs the module's start: what can fail because of the program happens here, not in the factory.
  virtual void instantiate() = 0;
  /// The program's linear memory; valid until the next call.
  [[nodiscard]] virtual LinearMemory memory() = 0;

  [[nodiscard]] virtual std::uint32_t version() = 0;
  [[nodiscard]] virtual std::uint32_t minor_version() = 0;
  [[nodiscard]] virtual std::uint32_t patch_version() = 0;
  [[nodiscard]] virtual std::uint32_t shared_memory_start() = 0;
  virtual void init(std::uint32_t sanity_check) = 0;
  virtual void set_input_signal(std::uint32_t hash_high, std::uint32_t hash_low, std::uint32_t index) = 0;
  [[nodiscard]] virtual std::int32_t input_signal_size(std::uint32_t hash_high, std::uint32_t hash_low) = 0;
  virtual void raw_prime() = 0;
  [[nodiscard]] virtual std::uint32_t field_words() = 0;
  [[nodiscard]] virtual std::uint32_t witness_size() = 0;
  [[nodiscard]] virtual std::uint32_t input_size() = 0;
  virtual void get_witness(std::uint32_t index) = 0;
  [[nodiscard]] virtual std::uint32_t message_char() = 0;
};

/// What the program tells its host while it runs.
class Host {
 public:
  /// `engine` must outlive the host's use.
  void attach(Engine& engine) { engine_ = &engine; }
  [[noreturn]] void exception(std::uint32_t code);
  /// Collects one line of the program's error text.
  void print_error();
  /// log() in a circuit prints values, which are secret: read and dropped.
  void write_message();

 private:
  std::string read_message();
  Engine* engine_ = nullptr;
  std::string errors_;
};

struct EngineOptions {
  std::uint32_t max_memory_pages = 0;
};

/// The shared object behind program_descriptor. Before the filter of system calls: the loader opens files.
[[nodiscard]] std::unique_ptr<Engine> open_compiled_engine(Host& host, const EngineOptions& options);

struct WasmBytes {
  const void* data = nullptr;
  std::size_t size_bytes = 0;
};
/// The wasm behind program_descriptor. Before the filter.
[[nodiscard]] WasmBytes map_program();
/// libwabt's interpreter. After the filter: it parses what somebody else wrote.
[[nodiscard]] std::unique_ptr<Engine> open_interpreted_engine(Host& host, const WasmBytes& wasm);

}  // namespace penstock::synthesis::runner
