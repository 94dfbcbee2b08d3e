// penstock-witness-runner: the child process in which a witness program is compiled or run. Started by
// penstock_witness only; it speaks runner_protocol.hpp on descriptor 3.
//   penstock-witness-runner run compiled|interpreted MEMORY_BYTES CPU_SECONDS
//   penstock-witness-runner compile FOLDER KEY CACHE_MAX_BYTES attached|detached
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "services/synthesis/witness/runner/channel.hpp"
#include "services/synthesis/witness/runner/compile.hpp"
#include "services/synthesis/witness/runner/engine.hpp"
#include "services/synthesis/witness/runner/sandbox.hpp"
#include "services/synthesis/witness/runner/session.hpp"

namespace {

using namespace penstock::synthesis;
using namespace penstock::synthesis::runner;

constexpr std::uint64_t mebi = std::uint64_t{1} << 20, gibi = std::uint64_t{1} << 30;
/// wasm2c's runtime reserves this much address space, unbacked, to need no bounds checks.
constexpr std::uint64_t wasm_reservation = 8 * gibi;
constexpr std::uint64_t page_bytes = 65'536, max_pages = 65'535;

void out_of_memory() {
  fail(protocol::FailureKind::memory, 0, "");
}

[[noreturn]] void run(bool compiled, std::uint64_t memory_bytes, std::chrono::seconds cpu) {
  Limits limits;
  limits.memory_bytes = memory_bytes + 32 * mebi;  // for the runner itself
  // The witness is mapped as well, and is bounded by the same limit.
  limits.address_space_bytes =
      limits.memory_bytes + memory_bytes + 512 * mebi + (compiled ? wasm_reservation : 0);
  limits.file_bytes = 0;
  limits.cpu = cpu;
  confine(limits, Lifetime::with_parent);
  std::set_new_handler(out_of_memory);
  const EngineOptions options{static_cast<std::uint32_t>(std::min(max_pages, memory_bytes / page_bytes))};
  Host host;
  if (compiled) {
    // The loader opens and maps files, so it comes before the filter; it runs nothing of the program.
    const auto engine = open_compiled_engine(host, options);
    allow_computing_only();
    serve(*engine);
  }
  const WasmBytes wasm = map_program();
  allow_computing_only();
  const auto engine = open_interpreted_engine(host, wasm);
  serve(*engine);
}

/// A detached compile goes on when the command line that wanted it has ended.
void detach() {
  if (::fork() != 0) ::_exit(0);
  ::setsid();
  ::alarm(30 * 60);
  // Nobody listens any more: the channel becomes a hole.
  const int hole = ::open("/dev/null", O_RDWR);
  ::dup2(hole, protocol::channel_descriptor);
  ::close(hole);
}

[[noreturn]] void compile(const CompileOptions& options, bool detached) {
  if (detached) detach();
  Limits limits;
  limits.memory_bytes = 6 * gibi;
  limits.address_space_bytes = 12 * gibi;
  limits.file_bytes = 2 * gibi;
  limits.cpu = std::chrono::minutes(20);
  limits.descriptors = 256;
  // Nobody waits for a detached one.
  if (detached) ::setpriority(PRIO_PROCESS, 0, 10);
  confine(limits, detached ? Lifetime::detached : Lifetime::with_parent);
  leave_network();
  deny_network_and_system();
  compile_program(options);
}

std::uint64_t number(const char* text) {
  return std::strtoull(text, nullptr, 10);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view verb = count > 1 ? arguments[1] : "";
  if (verb == "run" && count == 5)
    run(std::string_view(arguments[2]) == "compiled", number(arguments[3]),
        std::chrono::seconds(number(arguments[4])));
  if (verb == "compile" && count == 6)
    compile({arguments[2], arguments[3], number(arguments[4])}, std::string_view(arguments[5]) == "detached");
  std::fputs("penstock-witness-runner is started by penstock and penstock-synthesis, not by hand\n", stderr);
  return 2;
}
