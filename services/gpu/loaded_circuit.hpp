// A circuit that is ready to prove: its key's residency on the device and its prepared verifier.
// Ownership: shared by the residency list and every partition in flight; it leaves the device when the last
// holder lets go. Threads: immutable.
#pragma once

#include <functional>
#include <memory>

#include "common/base/result.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/groth16/proving_device.hpp"
#include "common/groth16/verify.hpp"
#include "common/wire/messages.hpp"

namespace penstock::gpu {

struct LoadedCircuit {
  wire::CircuitRef ref;
  std::shared_ptr<const circuit::ProvingKey> key;
  std::shared_ptr<const groth16::ResidentCircuit> resident;
  std::shared_ptr<const groth16::PreparedVerifier> verifier;
};

/// Opens, checks and loads a circuit; blocks for as long as that takes.
using CircuitLoader = std::function<Result<std::shared_ptr<const LoadedCircuit>>(const wire::CircuitRef&)>;

}  // namespace penstock::gpu
