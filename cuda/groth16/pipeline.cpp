#include "cuda/groth16/pipeline.hpp"

#include <cstddef>

#include "cuda/groth16/proof_sums.hpp"
#include "cuda/ntt/ntt.hpp"
#include "cuda/ntt/quotient.hpp"

namespace penstock::cuda {
namespace {

/// a, b -> the H scalars, plain, in a's place.
template <class C>
void enqueue_quotient(const Stream& stream, const DeviceCircuit<C>& circuit, typename C::Fr* a) {
  const std::uint64_t n = circuit.shape().domain_size;
  const int log2n = circuit.shape().domain_log2;
  typename C::Fr *b = a + n, *c = a + 2 * n;
  ntt::multiply_pointwise(stream, a, b, c, n);
  ntt::transform(stream, ntt::Transform::inverse, a, circuit.twiddles(), log2n, 3);
  ntt::transform(stream, ntt::Transform::coset_forward, a, circuit.twiddles(), log2n, 3);
  ntt::quotient_scalars(stream, a, b, c, n);
}

}  // namespace

template <class C>
void enqueue_proof(const LaneStreams& streams, const DeviceCircuit<C>& circuit, LaneWorkspace<C>& workspace,
                   bool evaluated, const Findings& findings, PhaseEvents& events) {
  const Stream& stream = streams.main;
  typename C::Fr* a = workspace.polynomials.data();
  stream.record(streams.begun);
  if (evaluated)
    ntt::to_montgomery(stream, a, 2 * std::uint64_t{circuit.shape().domain_size});
  else
    spmv::multiply(stream, circuit.rows(), workspace.witness.data(), a);
  events.mark(stream, Phase::spmv);
  enqueue_quotient(stream, circuit, a);
  events.mark(stream, Phase::ntt);
  streams.staged.wait_until_reached();
  ProofSums<C>(streams, circuit, workspace, findings, events).enqueue();
  auto* sums = workspace.sums.data();
  copy_to_host(stream, workspace.sums_on_host.data(), sums, sizeof(*sums));
  events.mark(stream, Phase::d2h);
}

template void enqueue_proof(const LaneStreams&, const DeviceCircuit<algebra::Bn254>&,
                            LaneWorkspace<algebra::Bn254>&, bool, const Findings&, PhaseEvents&);
template void enqueue_proof(const LaneStreams&, const DeviceCircuit<algebra::Bls12_381>&,
                            LaneWorkspace<algebra::Bls12_381>&, bool, const Findings&, PhaseEvents&);

}  // namespace penstock::cuda
