// Why a proof did not verify although the host device made it: the witness, or a key of another root family.
// The H points of a key fix the roots of unity (formats.md). On BLS12-381 keys by bellman, arkworks or blst
// tools use 7^t where snarkjs uses 5^t; such a key can never prove here, so it is refused by name instead of
// proved again.
#pragma once

#include <memory>

#include "common/circuit/witness.hpp"
#include "common/groth16/ntt.hpp"
#include "common/groth16/proving_device.hpp"
#include "common/groth16/verify.hpp"

namespace penstock::groth16 {

/// The roots 7^t of BLS12-381's scalar field, and the shift that goes with them.
[[nodiscard]] NttDomain<algebra::Bls12_381::Fr>::Roots bellman_roots(int domain_log2);

/// key_mismatch when the witness proves with the other family's roots, witness_unsatisfied otherwise.
/// REQUIRES a witness of the key's curve and size whose proof failed to verify. `key` may be null (not kept).
/// Cost: on BLS12-381 one more proof on the host; nothing on BN254, whose families agree.
[[nodiscard]] Error explain_failed_proof(const std::shared_ptr<const circuit::ProvingKey>& key,
                                         const PreparedVerifier& verifier,
                                         const circuit::WitnessView& witness);

}  // namespace penstock::groth16
