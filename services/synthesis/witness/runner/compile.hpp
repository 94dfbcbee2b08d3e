// wasm -> C (wasm2c) -> shared object (the C compiler), once per key, into the cache folder. Everything
// happens in FOLDER/KEY.work under a lock, and the finished object takes its name by a rename: a reader sees
// all of it or nothing, a killed compile leaves nothing that is used, and of two processes one waits for the
// other. Errors: on the channel (FailureKind::compiler, no_compiler, unusable). Leaves the process at the
// end.
#pragma once

#include <cstdint>
#include <string>

namespace penstock::synthesis::runner {

struct CompileOptions {
  std::string folder;  ///< exists, 0700, ours: the service has checked it
  std::string key;     ///< the object's name without .so
  std::uint64_t cache_max_bytes = 0;
  bool wait_for_others = true;  ///< false: leave when somebody else compiles already
};

[[noreturn]] void compile_program(const CompileOptions& options);

}  // namespace penstock::synthesis::runner
