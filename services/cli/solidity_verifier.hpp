// A Solidity contract that verifies proofs of one BN254 key with the EVM's precompiles (EIP-196, EIP-197).
// The call signature is snarkjs's (`Groth16Verifier.verifyProof`), so the calldata of `export calldata` fits.
// Errors: curve_mismatch for a key of another curve.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/circuit/proof.hpp"

namespace penstock::cli {

[[nodiscard]] Result<std::string> solidity_verifier(const circuit::AnyVerificationKey& key);

}  // namespace penstock::cli
