// Development keys: a trusted setup by one party from OS randomness (or a seed): INSECURE, marked as such in
// the key. snarkjs reads and proves with the result. Shape: H bases as formats.md's "prover's mathematics"
// demands. The points go to the file in pieces, never all in memory. Cost: a few fixed-base MSMs of the
// circuit's size; a 2^17 key in seconds on 2 cores.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "common/base/result.hpp"
#include "common/circuit/proof.hpp"
#include "common/circuit/r1cs.hpp"
#include "common/groth16/point_multiplier.hpp"

namespace penstock::groth16 {

struct SetupOptions {
  std::optional<std::uint64_t> seed = {};  ///< reproducible keys for tests; absent: from the OS
  int threads = 0;
  std::function<void(const char* step, double fraction)> progress = {};
  PointMultiplier* multiplier = nullptr;  ///< a device's; absent: the host makes the points
};

/// Writes the key and returns its verification key.
[[nodiscard]] Result<circuit::AnyVerificationKey> setup_insecure_dev(const circuit::R1cs& r1cs,
                                                                     const std::filesystem::path& key_path,
                                                                     const SetupOptions& options);

}  // namespace penstock::groth16
