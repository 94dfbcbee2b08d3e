// Loads a registered circuit from its folder: maps the key, checks every point unless it was checked before,
// loads it on the device, prepares the verifier.
// Threads: load() from any; the device serialises. Errors: the readers', key_mismatch when the folder holds
// another key than the registry said, insecure_key, out_of_memory.
#pragma once

#include <filesystem>
#include <string>

#include "services/gpu/loaded_circuit.hpp"

namespace penstock::gpu {

struct KeyLoaderOptions {
  std::filesystem::path circuits;
  std::filesystem::path key_cache;  ///< empty: nothing is remembered
  int threads = 0;
  bool allow_insecure_keys = false;
};

class KeyCircuitLoader {
 public:
  KeyCircuitLoader(KeyLoaderOptions options, groth16::ProvingDevice& device)
      : options_(std::move(options)), device_(device) {}
  [[nodiscard]] Result<std::shared_ptr<const LoadedCircuit>> load(const wire::CircuitRef& ref) const;

 private:
  KeyLoaderOptions options_;
  groth16::ProvingDevice& device_;
};

}  // namespace penstock::gpu
