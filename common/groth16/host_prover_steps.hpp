// The definitions of HostProver, compiled once per curve (host_prover_bn254.cpp, host_prover_bls12_381.cpp).
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "common/groth16/host_prover.hpp"

namespace penstock::groth16 {

using telemetry::PhaseScope;

template <class C>
ProofSums<C> HostProver<C>::prove(const HostCircuit<C>& circuit, const StagedWitness& staged,
                                  telemetry::PhaseTimes& phases) {
  ProofSums<C> sums;
  const std::size_t domain = circuit.shape().domain_size;
  if (a_.size() != domain)
    for (SensitiveVector<Fr>* vector : {&a_, &b_, &c_}) *vector = SensitiveVector<Fr>(domain);
  {
    const PhaseScope scope(phases, Phase::spmv);
    evaluate_rows(circuit, staged);
  }
  {
    const PhaseScope scope(phases, Phase::ntt);
    quotient(circuit);
  }
  sums.h = sum_quotient(circuit, phases);
  sum_witness_queries(circuit, staged.witness, sums, phases);
  return sums;
}

/// a = A*w and b = B*w, or the partition's own.
template <class C>
void HostProver<C>::evaluate_rows(const HostCircuit<C>& circuit, const StagedWitness& staged) {
  const std::span<Fr> a = a_.reveal(), b = b_.reveal();
  if (staged.a.empty()) return circuit.rows().multiply(team_, staged.witness, a, b);
  team_.for_ranges(a.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      a[i] = Fr::from_limbs(staged.a[i]);
      b[i] = Fr::from_limbs(staged.b[i]);
    }
  });
}

/// The H scalars, plain, into a_. The inverse transform leaves N a', N b', N c': h = (N a' * N b' - N * N c')
/// / N^2.
template <class C>
void HostProver<C>::quotient(const HostCircuit<C>& circuit) {
  const std::span<Fr> a = a_.reveal(), b = b_.reveal(), c = c_.reveal();
  team_.for_ranges(a.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) c[i] = a[i] * b[i];
  });
  const std::span<Fr> polynomials[3] = {a, b, c};
  circuit.domain().evaluations_to_coefficients(team_, polynomials);
  circuit.domain().coefficients_to_coset(team_, polynomials);
  const Fr n = Fr::from_u64(a.size());
  // As a plain integer taken for a residue: the product divides by N^2 and leaves Montgomery form at once.
  const Fr to_plain = Fr::from_montgomery(n.square().inverse().to_limbs());
  team_.for_ranges(a.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) a[i] = (a[i] * b[i] - n * c[i]) * to_plain;
  });
}

/// Window by window, or over a table, in whose one list every window has the same weight.
template <class C>
typename C::G1Sum HostProver<C>::sum_quotient(const HostCircuit<C>& circuit, telemetry::PhaseTimes& phases) {
  const PhaseScope scope(phases, Phase::msm_h);
  const PointTable<typename C::G1>& table = circuit.h_table();
  const UnalignedSpan<circuit::Scalar> scalars(std::as_bytes(std::span<const Fr>(a_.reveal())));
  digits_.load(team_, C::id, scalars, table.window_bits());
  const int count = digits_.plan().windows, step = windows_per_build(team_, digits_);
  std::vector<typename C::G1Sum> sums(static_cast<std::size_t>(table.empty() ? count : 1),
                                      C::G1Sum::infinity());
  const MsmQuery<typename C::G1> query = table.empty()
                                             ? MsmQuery<typename C::G1>{circuit.points().h}
                                             : MsmQuery<typename C::G1>{table.points(), table.finite()};
  for (int first = 0; first < count; first += step) {
    lists_.build(team_, digits_, first, std::min(step, count - first), table.stride());
    g1_.add_windows(team_, lists_, query, sums);
  }
  return join_windows<typename C::G1Sum>(sums, digits_.plan().window_bits);
}

/// A, B1, B2 and C share one digit pass and one sort.
template <class C>
void HostProver<C>::sum_witness_queries(const HostCircuit<C>& circuit, UnalignedSpan<circuit::Scalar> witness,
                                        ProofSums<C>& sums, telemetry::PhaseTimes& phases) {
  const circuit::KeyView<C>& key = circuit.points();
  const MsmQuery<typename C::G1> a{key.a, circuit.finite_a()}, b1{key.b1, circuit.finite_b1()},
      c{key.c, circuit.finite_c(), circuit.shape().publics + 1};
  const MsmQuery<typename C::G2> b2{key.b2, circuit.finite_b2()};
  {
    const PhaseScope scope(phases, Phase::digits);
    digits_.load(team_, C::id, witness);
  }
  const MsmPlan plan = digits_.plan();
  const std::vector<typename C::G1Sum> none(static_cast<std::size_t>(plan.windows), C::G1Sum::infinity());
  std::vector<typename C::G1Sum> windows_a = none, windows_b1 = none, windows_c = none;
  std::vector<typename C::G2Sum> windows_b2(none.size(), C::G2Sum::infinity());
  const auto timed = [&](Phase phase, auto&& work) {
    const PhaseScope scope(phases, phase);
    work();
  };
  const int step = windows_per_build(team_, digits_);
  for (int first = 0; first < plan.windows; first += step) {
    timed(Phase::digits, [&] { lists_.build(team_, digits_, first, std::min(step, plan.windows - first)); });
    timed(Phase::msm_c, [&] { g1_.add_windows(team_, lists_, c, windows_c); });
    timed(Phase::msm_a, [&] { g1_.add_windows(team_, lists_, a, windows_a); });
    timed(Phase::msm_b1, [&] { g1_.add_windows(team_, lists_, b1, windows_b1); });
    timed(Phase::msm_b2, [&] { g2_.add_windows(team_, lists_, b2, windows_b2); });
  }
  sums.c = join_windows<typename C::G1Sum>(windows_c, plan.window_bits);
  sums.a = join_windows<typename C::G1Sum>(windows_a, plan.window_bits);
  sums.b1 = join_windows<typename C::G1Sum>(windows_b1, plan.window_bits);
  timed(Phase::msm_b2, [&] { sums.b2 = join_windows<typename C::G2Sum>(windows_b2, plan.window_bits); });
}

/// A = alpha + A(w) + r delta, B = beta + B(w) + s delta, C = C(w) + H(h) + s A + r B1 - r s delta.
template <class C>
circuit::Proof<C> HostProver<C>::assemble(const circuit::KeyView<C>& key, const ProofSums<C>& sums,
                                          const Blinding& blinding) {
  using G1Sum = typename C::G1Sum;
  using G2Sum = typename C::G2Sum;
  const circuit::Scalar &r = blinding.r.reveal(), &s = blinding.s.reveal();
  const Sensitive<circuit::Scalar> minus_rs((-(Fr::from_limbs(r) * Fr::from_limbs(s))).to_limbs());
  G1Sum a = sums.a;
  a.add(key.alpha1);
  a.add(algebra::scalar_multiply<G1Sum>(key.delta1, r));
  G2Sum b = sums.b2;
  b.add(key.beta2);
  b.add(algebra::scalar_multiply<G2Sum>(key.delta2, s));
  G1Sum b1 = sums.b1;
  b1.add(key.beta1);
  b1.add(algebra::scalar_multiply<G1Sum>(key.delta1, s));
  const typename C::G1 a_affine = a.to_affine();
  G1Sum c = sums.c;
  c.add(sums.h);
  c.add(algebra::scalar_multiply<G1Sum>(a_affine, s));
  c.add(algebra::scalar_multiply<G1Sum>(b1.to_affine(), r));
  c.add(algebra::scalar_multiply<G1Sum>(key.delta1, minus_rs.reveal()));
  return {a_affine, b.to_affine(), c.to_affine()};
}

}  // namespace penstock::groth16
