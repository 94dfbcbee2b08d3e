#include "common/groth16/explain_failure.hpp"

#include <new>

#include "common/groth16/host_prover.hpp"

namespace penstock::groth16 {
namespace {

using C = algebra::Bls12_381;

bool proves_with_other_roots(const std::shared_ptr<const circuit::ProvingKey>& key,
                             const PreparedVerifier& verifier, const circuit::WitnessView& witness) {
  ThreadTeam team;
  const HostCircuit<C> circuit(team, key, bellman_roots(key->shape().domain_log2));
  telemetry::PhaseTimes phases;
  HostProver<C> prover(team);
  const ProofSums<C> sums = prover.prove(circuit, {witness.values, {}, {}}, phases);
  const circuit::Proof<C> proof = HostProver<C>::assemble(circuit.points(), sums, Blinding{});
  return verifier.verify(circuit::publics_of(witness, key->shape().publics), proof).ok();
}

}  // namespace

NttDomain<C::Fr>::Roots bellman_roots(int domain_log2) {
  C::Fr::Limbs odd = C::Fr::modulus();
  odd[0] -= 1;
  odd = algebra::limbs::shifted_right(odd, C::two_adicity);
  const C::Fr seven = C::Fr::from_u64(7);
  C::Fr root = seven.pow(odd), shift = seven.square();
  for (int i = C::two_adicity; i > domain_log2; --i) {
    shift = root;
    root = root.square();
  }
  return {root, shift};
}

Error explain_failed_proof(const std::shared_ptr<const circuit::ProvingKey>& key,
                           const PreparedVerifier& verifier, const circuit::WitnessView& witness) {
  try {
    if (key != nullptr && key->shape().curve == C::id && proves_with_other_roots(key, verifier, witness))
      return Error{ErrorCode::key_mismatch,
                   "the key was made with other roots of unity (7^t) than snarkjs's (5^t)",
                   "make the key with snarkjs, or convert it"}
          .in(key->path());
  } catch (const std::bad_alloc&) {  // no memory to look closer: the common cause is the answer
  }
  return {ErrorCode::witness_unsatisfied,
          "the proof of this witness does not verify: it does not satisfy the circuit",
          "check it against the circuit's .r1cs (penstock check)"};
}

}  // namespace penstock::groth16
