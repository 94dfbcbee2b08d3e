// The scalars of a development key: every wire's polynomials at the secret point, divided as the sections
// need them. Shape: per wire A, B; IC for the publics and the constant wire, C for the others; H per domain
// point. Ownership: plain vectors; the trapdoor and all that tells it is the caller's to forget. Errors:
// none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/circuit/proving_key.hpp"
#include "common/circuit/r1cs.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {

template <class Fr>
struct Trapdoor {
  Fr tau, alpha, beta, gamma, delta;
};

/// The key format's choice (formats.md): H is made for a domain <root> and its coset shift * <root>.
template <class Fr>
struct SetupDomain {
  int log2 = 0;
  Fr root, coset_shift;
};
template <class C>
[[nodiscard]] SetupDomain<typename C::Fr> snarkjs_domain(int log2) {
  return {log2, C::root_of_unity(log2), C::coset_shift(log2)};
}

template <class Fr>
struct SetupScalars {
  std::vector<Fr> a, b, ic, c, h;
};

/// The domain that snarkjs chooses: the smallest power of two above constraints + publics, 2 at least.
[[nodiscard]] int setup_domain_log2(const circuit::R1csShape& shape);

/// The trapdoor's point lies neither in the domain nor in H's coset, and no divisor is zero.
template <class Fr>
[[nodiscard]] bool is_usable(const Trapdoor<Fr>& trapdoor, const SetupDomain<Fr>& domain);

/// REQUIRES a usable trapdoor. Cost: one product per entry of the R1CS, about 20 per domain point.
template <class Fr>
[[nodiscard]] SetupScalars<Fr> setup_scalars(ThreadTeam& team, const circuit::R1cs& r1cs,
                                             const Trapdoor<Fr>& trapdoor, const SetupDomain<Fr>& domain);

/// Section 4: A and B by constraint, then one row of A per public wire and the constant one.
template <class Fr>
[[nodiscard]] std::vector<circuit::Coefficient> setup_coefficients(const circuit::R1cs& r1cs);

}  // namespace penstock::groth16
