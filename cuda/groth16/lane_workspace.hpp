// What one lane needs on the device for a circuit of curve C: allocated once, grown when a larger circuit
// comes, so that alternating circuits allocate nothing.
#pragma once

#include "cuda/groth16/device_circuit.hpp"

namespace penstock::cuda {

template <class C>
struct LaneWorkspace {
  using Fr = typename C::Fr;
  using Fp = typename C::Fp;
  using Fp2 = typename C::Fp2;

  DeviceBuffer<msm::Scalar> witness;
  DeviceBuffer<Fr> polynomials;  ///< a, b, c: three domains
  msm::DigitList digits;
  std::uint64_t digit_pairs = 0;
  msm::Workspace<Fp> g1;
  msm::Workspace<Fp2> g2;
  std::uint32_t g1_buckets = 0, g2_buckets = 0;

  struct Sums {
    algebra::Xyzz<Fp> h, c, a, b1;
    algebra::Xyzz<Fp2> b2;
  };
  DeviceBuffer<Sums> sums;
  PinnedBuffer<Sums> sums_on_host;

  /// Cost: nothing when the circuit fits what is there.
  void fit(DeviceHeap& heap, const DeviceCircuit<C>& circuit) {
    const auto& shape = circuit.shape();
    const CircuitPlan& plan = circuit.plan();
    if (witness.size() < shape.variables) replace(witness, heap, shape.variables);
    if (polynomials.size() < 3 * std::uint64_t{shape.domain_size})
      replace(polynomials, heap, 3 * std::uint64_t{shape.domain_size});
    const std::uint64_t pairs =
        std::max(plan.quotient.most_pairs(shape.domain_size), plan.witness.most_pairs(shape.variables));
    if (digit_pairs < pairs) {
      digits = {};
      digit_pairs = 0;
      digits = msm::make_digit_list(heap, pairs);
      digit_pairs = pairs;
    }
    const msm::Plan& wider = plan.quotient.buckets() > plan.witness.buckets() ? plan.quotient : plan.witness;
    fit_buckets(g1, g1_buckets, heap, wider);
    fit_buckets(g2, g2_buckets, heap, plan.witness);
    if (sums.size() == 0) {
      sums = {heap, 1};
      sums_on_host = PinnedBuffer<Sums>(1);
    }
  }

 private:
  template <class T>
  static void replace(DeviceBuffer<T>& buffer, DeviceHeap& heap, std::uint64_t size) {
    buffer = {};  // first free, then allocate: the two need not fit together
    buffer = {heap, size};
  }
  template <class F>
  static void fit_buckets(msm::Workspace<F>& workspace, std::uint32_t& buckets, DeviceHeap& heap,
                          const msm::Plan& plan) {
    if (buckets >= plan.buckets()) return;
    workspace = {};
    buckets = 0;
    workspace = msm::make_workspace<F>(heap, plan);
    buckets = plan.buckets();
  }
};

}  // namespace penstock::cuda
