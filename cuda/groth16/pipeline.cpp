#include "cuda/groth16/pipeline.hpp"

#include <cstddef>

#include "cuda/ntt/ntt.hpp"
#include "cuda/ntt/quotient.hpp"

namespace penstock::cuda {
namespace {

template <class C>
void scalar_modulus(std::uint64_t (&modulus)[4]) {
  const auto limbs = C::Fr::modulus();
  for (std::size_t i = 0; i < 4; ++i) modulus[i] = limbs[i];
}

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
void enqueue_proof(const Stream& stream, const DeviceCircuit<C>& circuit, LaneWorkspace<C>& workspace,
                   bool evaluated, PhaseEvents& events) {
  const circuit::KeyShape& shape = circuit.shape();
  typename C::Fr* a = workspace.polynomials.data();
  auto* sums = workspace.sums.data();
  std::uint64_t modulus[4];
  scalar_modulus<C>(modulus);

  if (evaluated)
    ntt::to_montgomery(stream, a, 2 * std::uint64_t{shape.domain_size});
  else
    spmv::multiply(stream, circuit.rows(), workspace.witness.data(), a);
  events.mark(stream, Phase::spmv);
  enqueue_quotient(stream, circuit, a);
  events.mark(stream, Phase::ntt);

  const msm::Plan& quotient = circuit.plan().quotient;
  msm::build_digits(stream, quotient, reinterpret_cast<const msm::Scalar*>(a), shape.domain_size, modulus,
                    workspace.digits, [&] { events.mark(stream, Phase::msm_h); });
  msm::accumulate(stream, quotient, workspace.digits, circuit.h(), workspace.g1, &sums->h);
  events.mark(stream, Phase::msm_h);

  const msm::Plan& witness = circuit.plan().witness;
  msm::build_digits(stream, witness, workspace.witness.data(), shape.variables, modulus, workspace.digits,
                    [&] { events.mark(stream, Phase::digits); });
  events.mark(stream, Phase::digits);
  msm::accumulate(stream, witness, workspace.digits, circuit.c(), workspace.g1, &sums->c);
  events.mark(stream, Phase::msm_c);
  msm::accumulate(stream, witness, workspace.digits, circuit.a(), workspace.g1, &sums->a);
  events.mark(stream, Phase::msm_a);
  msm::accumulate(stream, witness, workspace.digits, circuit.b1(), workspace.g1, &sums->b1);
  events.mark(stream, Phase::msm_b1);
  msm::accumulate(stream, witness, workspace.digits, circuit.b2(), workspace.g2, &sums->b2);
  events.mark(stream, Phase::msm_b2);
  copy_to_host(stream, workspace.sums_on_host.data(), sums, sizeof(*sums));
  events.mark(stream, Phase::d2h);
}

template void enqueue_proof(const Stream&, const DeviceCircuit<algebra::Bn254>&,
                            LaneWorkspace<algebra::Bn254>&, bool, PhaseEvents&);
template void enqueue_proof(const Stream&, const DeviceCircuit<algebra::Bls12_381>&,
                            LaneWorkspace<algebra::Bls12_381>&, bool, PhaseEvents&);

}  // namespace penstock::cuda
