// libwabt's interpreter (Debian's package wabt): slower than compiled code by one to two orders of magnitude,
// but ready at once.
#include <wabt/binary-reader.h>
#include <wabt/error-formatter.h>
#include <wabt/interp/binary-reader-interp.h>
#include <wabt/interp/interp.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "services/synthesis/witness/runner/engine.hpp"
#include "services/synthesis/witness/runner/fail.hpp"

namespace penstock::synthesis::runner {
namespace {

namespace interp = wabt::interp;

class InterpretedEngine final : public Engine {
 public:
  InterpretedEngine(Host& host, const void* wasm, std::size_t size_bytes) : host_(host) {
    wabt::Errors errors;
    interp::ModuleDesc description;
    const wabt::ReadBinaryOptions options(wabt::Features{}, nullptr, false, true, true);
    if (wabt::Failed(
            interp::ReadBinaryInterp("program.wasm", wasm, size_bytes, options, &errors, &description)))
      fail(protocol::FailureKind::unusable, 0, errors.empty() ? "invalid" : errors.front().message);
    module_ = interp::Module::New(store_, std::move(description));
  }

  void instantiate() override {
    interp::RefVec imports;
    for (const interp::ImportType& import :
         module_->desc().imports.empty() ? std::vector<interp::ImportType>{} : module_->import_types())
      imports.push_back(bind(import));
    interp::Trap::Ptr trap;
    instance_ = interp::Instance::Instantiate(store_, module_.ref(), imports, &trap);
    if (!instance_) trapped(trap);
    const auto& exports = module_->desc().exports;
    for (std::size_t i = 0; i < exports.size(); ++i) {
      const interp::Ref ref = instance_->exports()[i];
      if (exports[i].type.type->kind == interp::ExternKind::Memory)
        memory_ = store_.UnsafeGet<interp::Memory>(ref);
      else
        functions_[exports[i].type.name] = store_.UnsafeGet<interp::Func>(ref);
    }
    static constexpr std::array<const char*, function_count> names = {
        "getVersion",     "getMinorVersion",    "getPatchVersion", "getSharedRWMemoryStart", "init",
        "setInputSignal", "getInputSignalSize", "getRawPrime",     "getFieldNumLen32",       "getWitnessSize",
        "getInputSize",   "getWitness",         "getMessageChar"};
    for (std::size_t i = 0; i < names.size(); ++i)
      if (const auto found = functions_.find(names[i]); found != functions_.end())
        by_index_[i] = found->second;
  }

  LinearMemory memory() override {
    return {reinterpret_cast<std::byte*>(memory_->UnsafeData()), memory_->ByteSize()};
  }
  std::uint32_t version() override { return call(f_version); }
  std::uint32_t minor_version() override { return call(f_minor_version); }
  std::uint32_t patch_version() override { return call(f_patch_version); }
  std::uint32_t shared_memory_start() override { return call(f_shared_memory_start); }
  void init(std::uint32_t sanity_check) override { call(f_init, {sanity_check}); }
  void set_input_signal(std::uint32_t high, std::uint32_t low, std::uint32_t index) override {
    call(f_set_input_signal, {high, low, index});
  }
  std::int32_t input_signal_size(std::uint32_t high, std::uint32_t low) override {
    return static_cast<std::int32_t>(call(f_input_signal_size, {high, low}));
  }
  void raw_prime() override { call(f_raw_prime); }
  std::uint32_t field_words() override { return call(f_field_words); }
  std::uint32_t witness_size() override { return call(f_witness_size); }
  std::uint32_t input_size() override { return call(f_input_size); }
  void get_witness(std::uint32_t index) override { call(f_get_witness, {index}); }
  std::uint32_t message_char() override { return call(f_message_char); }

 private:
  enum Function : std::size_t {
    f_version,
    f_minor_version,
    f_patch_version,
    f_shared_memory_start,
    f_init,
    f_set_input_signal,
    f_input_signal_size,
    f_raw_prime,
    f_field_words,
    f_witness_size,
    f_input_size,
    f_get_witness,
    f_message_char,
    function_count
  };

  interp::Ref bind(const interp::ImportType& import) {
    // The service has checked that nothing else is imported (wasm_module.cpp).
    const auto& type = *wabt::cast<interp::FuncType>(import.type.get());
    const auto ok = [](auto action) {
      return
          [action](interp::Thread&, const interp::Values& parameters, interp::Values&, interp::Trap::Ptr*) {
            action(parameters);
            return wabt::Result::Ok;
          };
    };
    interp::HostFunc::Callback callback = ok([](const interp::Values&) {});
    if (import.name == "exceptionHandler")
      callback = ok([this](const interp::Values& parameters) {
        host_.exception(parameters.at(0).Get<std::uint32_t>());
      });
    else if (import.name == "printErrorMessage")
      callback = ok([this](const interp::Values&) { host_.print_error(); });
    else if (import.name == "writeBufferMessage")
      callback = ok([this](const interp::Values&) { host_.write_message(); });
    return interp::HostFunc::New(store_, type, std::move(callback)).ref();
  }

  std::uint32_t call(Function which, std::initializer_list<std::uint32_t> arguments = {}) {
    const interp::Func::Ptr& function = by_index_[which];
    if (!function) return 0;
    interp::Values parameters, results;
    for (const std::uint32_t argument : arguments) parameters.push_back(interp::Value::Make(argument));
    interp::Trap::Ptr trap;
    // A thread of its own each time: calls nest (a message is read in the middle of a witness).
    if (wabt::Failed(function->Call(store_, parameters, results, &trap))) trapped(trap);
    return results.empty() ? 0 : results[0].Get<std::uint32_t>();
  }

  [[noreturn]] void trapped(const interp::Trap::Ptr& trap) {
    const std::string message = trap ? trap->message() : "the program cannot be instantiated";
    const bool stack = message.find("exhausted") != std::string::npos;
    fail(stack ? protocol::FailureKind::stack : protocol::FailureKind::trap, 0, message);
  }

  Host& host_;
  interp::Store store_;
  interp::Module::Ptr module_;
  interp::Instance::Ptr instance_;
  interp::Memory::Ptr memory_;
  std::map<std::string, interp::Func::Ptr> functions_;
  std::array<interp::Func::Ptr, function_count> by_index_;
};

}  // namespace

std::unique_ptr<Engine> open_interpreted_engine(Host& host, const WasmBytes& wasm) {
  auto engine = std::make_unique<InterpretedEngine>(host, wasm.data, wasm.size_bytes);
  host.attach(*engine);
  return engine;
}

WasmBytes map_program() {
  struct stat about {};
  if (::fstat(protocol::program_descriptor, &about) != 0)
    fail(protocol::FailureKind::unusable, 0, "no program was passed");
  const auto size = static_cast<std::size_t>(about.st_size);
  const void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, protocol::program_descriptor, 0);
  if (data == MAP_FAILED) fail(protocol::FailureKind::unusable, 0, "the program cannot be mapped");
  return {data, size};
}

}  // namespace penstock::synthesis::runner
