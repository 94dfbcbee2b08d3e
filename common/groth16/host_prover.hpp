// The prover's mathematics (formats.md) on the host, over one reusable workspace.
// Shape: quotient() leaves the H scalars, then the five MSMs, then assembly with the blinding.
// Ownership: the workspace holds secrets between runs and wipes them when it dies. Threads: one proof at a
// time. Errors: none; inputs were checked by stage(). std::bad_alloc leaves it usable. Cost: memory 96 B a
// domain row, 36 B a wire, and the sort's 4 B a digit (about 1 MiB a thread at most).
#pragma once

#include <optional>
#include <span>

#include "common/groth16/host_circuit.hpp"
#include "common/groth16/msm.hpp"
#include "common/telemetry/phase_times.hpp"

namespace penstock::groth16 {

/// What a staged partition proves from. `a` and `b` are present in an evaluated partition (plain scalars,
/// domain_size).
struct StagedWitness {
  UnalignedSpan<circuit::Scalar> witness;
  UnalignedSpan<circuit::Scalar> a, b;
};

/// The five sums of a proof, before blinding.
template <class C>
struct ProofSums {
  typename C::G1Sum a, b1, c, h;
  typename C::G2Sum b2;
};

template <class C>
class HostProver {
 public:
  using Fr = typename C::Fr;

  explicit HostProver(ThreadTeam& team) : team_(team), g1_(team), g2_(team) {}

  /// Phases spmv, ntt, digits, msm_*.
  [[nodiscard]] ProofSums<C> prove(const HostCircuit<C>& circuit, const StagedWitness& staged,
                                   telemetry::PhaseTimes& phases);

  /// Phase finish: A, B, C with the blinding.
  [[nodiscard]] static circuit::Proof<C> assemble(const circuit::KeyView<C>& key, const ProofSums<C>& sums,
                                                  const Blinding& blinding);

 private:
  void evaluate_rows(const HostCircuit<C>& circuit, const StagedWitness& staged);
  void quotient(const HostCircuit<C>& circuit);
  void sum_witness_queries(const HostCircuit<C>& circuit, UnalignedSpan<circuit::Scalar> witness,
                           ProofSums<C>& sums, telemetry::PhaseTimes& phases);
  [[nodiscard]] typename C::G1Sum sum_quotient(const HostCircuit<C>& circuit, telemetry::PhaseTimes& phases);

  ThreadTeam& team_;
  SensitiveVector<Fr> a_, b_, c_;
  MsmScalars digits_;
  WindowLists lists_;
  MsmWorkspace<typename C::G1> g1_;
  MsmWorkspace<typename C::G2> g2_;
};

extern template class HostProver<algebra::Bn254>;
extern template class HostProver<algebra::Bls12_381>;

}  // namespace penstock::groth16
