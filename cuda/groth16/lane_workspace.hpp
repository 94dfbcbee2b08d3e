// What one lane needs on the device for a circuit of curve C: allocated once, grown when a larger circuit
// comes, so that alternating circuits allocate nothing. The five sums run at once, each with buckets and
// scratch of its own, where two lists hold all digits; else in turn, in chunks. Memory of the largest: the
// witness and three polynomials; 8 GiB of digits at most; buckets of three G1 sums and one of G2, and of one
// more each. Where the device has less, lists are shorter and chunks more.
#pragma once

#include <algorithm>
#include <array>

#include "cuda/groth16/device_circuit.hpp"

namespace penstock::cuda {

/// The G1 queries, as workspaces are numbered.
inline constexpr std::size_t query_h = 0, query_c = 1, query_a = 2, query_b1 = 3, g1_queries = 4;

/// In (bucket, point) pairs of a list, 16 bytes each.
struct LaneLimits {
  std::uint64_t longest = std::uint64_t{1} << 28;   ///< a circuit of 2^24 is one chunk
  std::uint64_t shortest = std::uint64_t{1} << 16;  ///< where memory is short
};

template <class C>
struct LaneWorkspace {
  using Fr = typename C::Fr;
  using Fp = typename C::Fp;
  using Fp2 = typename C::Fp2;

  DeviceBuffer<msm::Scalar> witness;
  DeviceBuffer<Fr> polynomials;  ///< a, b, c: three domains
  std::array<msm::DigitList, 2> digits;
  std::uint64_t digit_pairs = 0;  ///< that each list holds
  struct Sums {
    algebra::Xyzz<Fp> h, c, a, b1;
    algebra::Xyzz<Fp2> b2;
  };
  DeviceBuffer<Sums> sums;
  PinnedBuffer<Sums> sums_on_host;

  explicit LaneWorkspace(const LaneLimits& limits) : limits_(limits) {}
  /// Do the sums of this circuit run at once?
  [[nodiscard]] bool at_once(const DeviceCircuit<C>& circuit) const {
    return pairs_of(circuit) <= digit_pairs;
  }
  /// H's, which in turn are C's before.
  [[nodiscard]] msm::Workspace<Fp>& h(const DeviceCircuit<C>& circuit) {
    return g1_[at_once(circuit) ? query_h : query_c].workspace;
  }
  [[nodiscard]] algebra::Xyzz<Fp>* buckets(std::size_t query) { return g1_[query].workspace.buckets.data(); }
  [[nodiscard]] msm::Scratch<Fp>& scratch(const DeviceCircuit<C>& circuit, std::size_t query) {
    return g1_[at_once(circuit) ? query : query_c].workspace.scratch;
  }
  [[nodiscard]] msm::Workspace<Fp2>& b2() { return g2_.workspace; }

  /// Cost: nothing when the circuit fits what is there.
  void fit(DeviceHeap& heap, const DeviceCircuit<C>& circuit) {
    const auto& shape = circuit.shape();
    if (witness.size() < shape.variables) replace(witness, heap, shape.variables);
    if (polynomials.size() < 3 * std::uint64_t{shape.domain_size})
      replace(polynomials, heap, 3 * std::uint64_t{shape.domain_size});
    const std::uint64_t pairs = std::min(pairs_of(circuit), limits_.longest);
    if (sums.size() == 0) {
      sums = {heap, 1};
      sums_on_host = PinnedBuffer<Sums>(1);
    }
    // Lists that do not fit, or leave no room for the sums, are halved: a proof then has more chunks.
    if (digits_wanted_ < pairs) drop_digits();
    for (std::uint64_t held = digits_wanted_ == 0 ? pairs : digit_pairs;; held /= 2) {
      try {
        if (digit_pairs == 0)
          for (msm::DigitList& list : digits) list = msm::make_digit_list(heap, held);
        digit_pairs = held;
        fit_sums(heap, circuit, std::min(pairs, held));
        digits_wanted_ = std::max(pairs, digits_wanted_);
        return;
      } catch (const CudaError& failure) {
        drop_digits();
        if (!failure.out_of_memory() || held / 2 < limits_.shortest) throw;
      }
    }
  }

 private:
  /// A workspace with what it was made for.
  template <class F>
  struct Grown {
    msm::Workspace<F> workspace;
    msm::Plan scratch_plan;
    std::uint64_t scratch_pairs = 0;

    void fit_buckets(DeviceHeap& heap, const msm::Plan& plan) {
      if (workspace.buckets.size() < plan.buckets()) replace(workspace.buckets, heap, plan.buckets());
    }
    void fit_scratch(DeviceHeap& heap, const msm::Plan& plan, std::uint64_t pairs, bool in_chunks) {
      const bool wide_enough = scratch_pairs > 0 && scratch_plan.buckets() >= plan.buckets();
      const bool chunks = in_chunks || workspace.scratch.fresh.size() > 0;
      if (wide_enough && scratch_pairs >= pairs && chunks == (workspace.scratch.fresh.size() > 0)) return;
      const msm::Plan wider = wide_enough ? scratch_plan : plan;
      const std::uint64_t more = std::max(pairs, scratch_pairs);
      workspace.scratch = {};
      scratch_pairs = 0;
      workspace.scratch = msm::make_scratch<F>(heap, wider, more, chunks);
      scratch_plan = wider;
      scratch_pairs = more;
    }
  };

  [[nodiscard]] std::uint64_t pairs_of(const DeviceCircuit<C>& circuit) const {
    const auto& shape = circuit.shape();
    const CircuitPlan& plan = circuit.plan();
    return std::max({plan.quotient.most_pairs(shape.domain_size), plan.witness.most_pairs(shape.variables),
                     limits_.shortest});
  }
  template <class T>
  static void replace(DeviceBuffer<T>& buffer, DeviceHeap& heap, std::uint64_t size) {
    buffer = {};  // first free, then allocate: the two need not fit together
    buffer = {heap, size};
  }
  void drop_digits() {
    digits = {};
    digits_wanted_ = digit_pairs = 0;
  }
  void fit_sums(DeviceHeap& heap, const DeviceCircuit<C>& circuit, std::uint64_t pairs) {
    const CircuitPlan& plan = circuit.plan();
    const msm::Plan& wider = plan.quotient.buckets() > plan.witness.buckets() ? plan.quotient : plan.witness;
    const bool in_chunks = !at_once(circuit);
    for (const std::size_t query : {query_c, query_a, query_b1}) g1_[query].fit_buckets(heap, wider);
    g2_.fit_buckets(heap, plan.witness);
    g1_[query_c].fit_scratch(heap, wider, pairs, in_chunks);
    g2_.fit_scratch(heap, plan.witness, pairs, in_chunks);
    if (in_chunks) return;
    g1_[query_h].fit_buckets(heap, wider);
    for (const std::size_t query : {query_h, query_a, query_b1})
      g1_[query].fit_scratch(heap, wider, pairs, false);
  }

  LaneLimits limits_;
  std::array<Grown<Fp>, g1_queries> g1_;
  Grown<Fp2> g2_;
  std::uint64_t digits_wanted_ = 0;
};

}  // namespace penstock::cuda
