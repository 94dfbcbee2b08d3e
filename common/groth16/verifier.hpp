// The verifier of one curve (verify.hpp has the contract): e(A,B) = e(alpha,beta) e(IC(publics),gamma)
// e(C,delta).
#pragma once

#include <memory>

#include "common/groth16/verify.hpp"

namespace penstock::groth16 {

/// Errors: size_mismatch (no IC point), point_off_curve, point_not_in_subgroup: a key may come from anywhere.
template <class C>
[[nodiscard]] Result<std::unique_ptr<PreparedVerifier>> make_verifier(const circuit::VerificationKey<C>& key);

extern template Result<std::unique_ptr<PreparedVerifier>> make_verifier(
    const circuit::VerificationKey<algebra::Bn254>&);
extern template Result<std::unique_ptr<PreparedVerifier>> make_verifier(
    const circuit::VerificationKey<algebra::Bls12_381>&);

}  // namespace penstock::groth16
