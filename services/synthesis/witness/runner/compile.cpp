#include "services/synthesis/witness/runner/compile.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "services/synthesis/witness/runner/channel.hpp"
#include "services/synthesis/witness/runner/child.hpp"
#include "services/synthesis/witness/runner/program_sources.hpp"

namespace penstock::synthesis::runner {
namespace {

namespace fs = std::filesystem;
using protocol::FailureKind;

// -O2 takes about 1.5 s a MB of C, and a 18 MB translation (Poseidon's constants) 26 s; -O1 saves a third of
// it there and costs such straight-line code little.
constexpr std::uintmax_t optimize_less_above_bytes = 8'000'000;

void tell(protocol::StepKind step) {
  const auto value = static_cast<std::uint32_t>(step);
  write_frame(protocol::FrameKind::step, std::as_bytes(std::span(&value, 1)));
}

[[noreturn]] void failed(std::string_view what) {
  fail(FailureKind::compiler, 0, std::string(what) + ": " + std::strerror(errno));
}

/// A lock that dies with the process. 256 of them: the folder does not fill with lock files.
void lock(const CompileOptions& options) {
  const std::string path = options.folder + "/lock-" + options.key.substr(0, 2);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) failed("cannot open the cache's lock");
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return;
  if (!options.wait_for_others) leave(0);
  tell(protocol::StepKind::waiting);
  while (::flock(file, LOCK_EX) != 0)
    if (errno != EINTR) failed("cannot lock the cache");
}

void write_source(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) failed("cannot write into the cache folder");
}

void write_wasm(const fs::path& path) {
  std::ofstream file(path, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  off_t offset = 0;
  for (;;) {
    const ssize_t got = ::pread(protocol::program_descriptor, buffer.data(), buffer.size(), offset);
    if (got < 0) failed("cannot read the program");
    if (got == 0) break;
    file.write(buffer.data(), got);
    offset += got;
  }
  if (!file.flush()) failed("cannot write into the cache folder");
}

std::string find_compiler() {
  for (const char* path : {"/usr/bin/gcc", "/usr/bin/cc", "/usr/bin/clang"})
    if (::access(path, X_OK) == 0) return path;
  fail(FailureKind::no_compiler, 0, "there is no C compiler");
}

void run_tool(const fs::path& work, const std::vector<std::string>& command) {
  const ToolOutcome outcome = run_child(work, command);
  if (outcome.succeeded) return;
  fail(FailureKind::compiler, 0, command.front() + " failed: " + outcome.text);
}

void translate(const fs::path& work) {
  if (::access("/usr/bin/wasm2c", X_OK) != 0)
    fail(FailureKind::no_compiler, 0, "wasm2c is missing (package wabt)");
  write_wasm(work / "program.wasm");
  run_tool(work, {"/usr/bin/wasm2c", "program.wasm", "--module-name=program", "-o", "program.c"});
}

void compile(const fs::path& work) {
  const std::string compiler = find_compiler();
  write_source(work / "program_abi.h", program_abi_source());
  write_source(work / "program_shim.c", program_shim_source());
  const bool huge = fs::file_size(work / "program.c") > optimize_less_above_bytes;
  // -fstack-clash-protection: a deep recursion must hit the guard page, which is a trap with a name.
  const std::vector<std::string> common = {compiler,
                                           huge ? "-O1" : "-O2",
                                           "-fPIC",
                                           "-w",
                                           "-fvisibility=hidden",
                                           "-fstack-clash-protection",
                                           "-fno-strict-aliasing"};
  std::vector<std::string> program = common, object = common;
  program.insert(program.end(),
                 {"-Dwasm_rt_allocate_memory=penstock_allocate_memory",
                  "-Dwasm_rt_grow_memory=penstock_grow_memory", "-c", "program.c", "-o", "program.o"});
  object.insert(object.end(), {"-I" PENSTOCK_WASM2C_RUNTIME, "-shared", "-Wl,-z,relro,-z,now",
                               "program_shim.c", "program.o", "-o", "program.so"});
  run_tool(work, program);
  run_tool(work, object);
}

void publish(const fs::path& object, const fs::path& target) {
  const int file = ::open(object.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || ::fchmod(file, 0500) != 0 || ::fsync(file) != 0)
    failed("cannot finish the compiled program");
  ::close(file);
  if (::rename(object.c_str(), target.c_str()) != 0) failed("cannot name the compiled program");
}

/// Removes the least recently used objects beyond the bound, never `newest`.
void evict(const fs::path& folder, const fs::path& newest, std::uint64_t max_bytes) {
  struct Entry {
    fs::file_time_type used;
    std::uintmax_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder, ignored)) {
    if (file.path().extension() != ".so") continue;
    entries.push_back({file.last_write_time(ignored), file.file_size(ignored), file.path()});
    total += entries.back().size;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes) break;
    if (entry.path == newest) continue;
    fs::remove(entry.path, ignored);
    total -= entry.size;
  }
}

}  // namespace

void compile_program(const CompileOptions& options) {
  const fs::path folder = options.folder, target = folder / (options.key + ".so");
  const fs::path work = folder / (options.key + ".work");
  std::error_code error;
  ::umask(077);
  lock(options);
  if (!fs::exists(target, error)) {
    fs::remove_all(work, error);  // what a killed compile left behind
    if (!fs::create_directory(work, error)) failed("cannot create a working folder in the cache");
    tell(protocol::StepKind::translating);
    translate(work);
    tell(protocol::StepKind::compiling);
    compile(work);
    publish(work / "program.so", target);
    fs::remove_all(work, error);
    evict(folder, target, options.cache_max_bytes);
  }
  tell(protocol::StepKind::compiled);
  write_frame(protocol::FrameKind::finished, {});
  leave(0);
}

}  // namespace penstock::synthesis::runner
