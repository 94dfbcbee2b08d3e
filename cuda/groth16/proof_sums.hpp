// The five sums of a proof: H's over the quotient, C, A, B1 and B2 over the witness. They run at once where
// two lists hold all digits, for each alone leaves some of the device idle and a small one's most of it; else
// in turn, in chunks whose digits are sorted beside the sums of the chunk before. Internal to pipeline.cpp.
#pragma once

#include <vector>

#include "cuda/groth16/pipeline.hpp"

namespace penstock::cuda {

template <class C>
class ProofSums {
 public:
  ProofSums(const LaneStreams& streams, const DeviceCircuit<C>& circuit, LaneWorkspace<C>& workspace,
            const Findings& findings, PhaseEvents& events)
      : streams_(streams), circuit_(circuit), work_(workspace), events_(events) {
    const circuit::KeyShape& shape = circuit.shape();
    const auto limbs = C::Fr::modulus();
    for (std::size_t i = 0; i < 4; ++i) modulus_[i] = limbs[i];
    quotient_ = {circuit.plan().quotient, reinterpret_cast<const msm::Scalar*>(workspace.polynomials.data()),
                 shape.domain_size, shape.domain_size};
    witness_ = {msm::plan_for_witness(circuit.plan().witness, C::Fr::modulus_bits(), findings.wide),
                workspace.witness.data(), shape.variables, findings.wide};
  }

  void enqueue() {
    if (work_.at_once(circuit_))
      at_once();
    else
      in_turn();
  }

 private:
  /// The scalars of one or four sums.
  struct Scalars {
    msm::Plan plan;
    const msm::Scalar* values = nullptr;
    std::uint64_t n = 0, wide = 0;
  };
  struct Job {
    const Scalars* scalars = nullptr;
    msm::Chunk chunk;
    [[nodiscard]] bool first() const { return chunk.first == 0; }
    [[nodiscard]] bool last() const { return chunk.first + chunk.size == chunk.n; }
  };
  struct Query {
    const typename C::G1* table;
    std::size_t number;
    algebra::Xyzz<typename C::Fp>* result;
    Phase phase;
  };

  [[nodiscard]] std::array<Query, 3> witness_queries() const {
    auto* sums = work_.sums.data();
    return {Query{circuit_.c(), query_c, &sums->c, Phase::msm_c},
            Query{circuit_.a(), query_a, &sums->a, Phase::msm_a},
            Query{circuit_.b1(), query_b1, &sums->b1, Phase::msm_b1}};
  }
  void emit(const Stream& stream, const Job& job, msm::DigitList& list) {
    msm::emit_digits(stream, job.scalars->plan, job.scalars->values, job.chunk, modulus_, list);
  }

  // ---- at once
  void sum_g1(const Stream& stream, const Query& query) {
    auto& scratch = work_.scratch(circuit_, query.number);
    auto* buckets = work_.buckets(query.number);
    msm::add_to_buckets(stream, witness_.plan, work_.digits[1], true, query.table, buckets, scratch);
    msm::reduce_buckets(stream, witness_.plan, buckets, scratch, query.result);
  }
  /// On its own stream, when the witness's digits are sorted.
  template <class Sum>
  void beside(std::size_t place, Sum sum) {
    streams_.sums[place].wait_for(streams_.prepared[1]);
    sum(streams_.sums[place]);
    streams_.sums[place].record(streams_.done[place]);
  }

  void at_once() {
    // One list holds a witness's digits whatever its scalars by the resident plan, by another one if they are
    // few.
    if (msm::chunk_scalars(witness_.plan, witness_.n, witness_.wide, work_.digit_pairs) < witness_.n)
      witness_.plan = circuit_.plan().witness;
    emit(streams_.main, whole(quotient_), work_.digits[0]);
    streams_.digits.wait_for(streams_.begun);
    emit(streams_.digits, whole(witness_), work_.digits[1]);
    msm::sort_digits(streams_.digits, witness_.plan, work_.digits[1]);
    streams_.digits.record(streams_.prepared[1]);
    beside(3, [&](const Stream& stream) {  // the longest first
      msm::accumulate(stream, witness_.plan, work_.digits[1], circuit_.b2(), work_.b2(),
                      &work_.sums.data()->b2);
    });
    const auto queries = witness_queries();
    beside(0, [&](const Stream& stream) { sum_g1(stream, queries[0]); });
    events_.mark(streams_.main, Phase::msm_h);
    msm::sort_digits(streams_.main, quotient_.plan, work_.digits[0]);
    msm::accumulate(streams_.main, quotient_.plan, work_.digits[0], circuit_.h(), work_.h(circuit_),
                    &work_.sums.data()->h);
    for (const std::size_t place : {1, 2})
      beside(place, [&](const Stream& stream) { sum_g1(stream, queries[place]); });
    events_.mark(streams_.main, Phase::msm_h);
    for (std::size_t place = 0; place < LaneStreams::sums_at_once; ++place) {
      streams_.main.wait_for(streams_.done[place]);
      events_.mark(streams_.main, place < queries.size() ? queries[place].phase : Phase::msm_b2);
    }
  }
  [[nodiscard]] static Job whole(const Scalars& scalars) { return {&scalars, {0, scalars.n, scalars.n}}; }

  // ---- in turn
  void in_turn() {
    std::vector<Job> jobs;
    for (const Scalars* scalars : {&quotient_, &witness_}) {
      const std::uint64_t size =
          msm::chunk_scalars(scalars->plan, scalars->n, scalars->wide, work_.digit_pairs);
      for (std::uint64_t first = 0; first < scalars->n; first += size)
        jobs.push_back({scalars, {first, std::min(size, scalars->n - first), scalars->n}});
    }
    streams_.main.record(streams_.begun);
    streams_.digits.wait_for(streams_.begun);
    prepare(jobs, 0);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      streams_.main.wait_for(streams_.prepared[j % 2]);
      const bool of_witness = jobs[j].scalars == &witness_;
      events_.mark(streams_.main, of_witness ? Phase::digits : Phase::msm_h);
      if (of_witness)
        add_witness(jobs[j], work_.digits[j % 2]);
      else
        add_quotient(jobs[j], work_.digits[j % 2]);
      streams_.main.record(streams_.used[j % 2]);
      if (j + 1 < jobs.size()) prepare(jobs, j + 1);
    }
  }
  /// Sorts the job's digits when the job that used the list before is done. Waits for their number.
  void prepare(const std::vector<Job>& jobs, std::size_t j) {
    if (j >= 2) streams_.digits.wait_for(streams_.used[j % 2]);
    emit(streams_.digits, jobs[j], work_.digits[j % 2]);
    msm::sort_digits(streams_.digits, jobs[j].scalars->plan, work_.digits[j % 2]);
    streams_.digits.record(streams_.prepared[j % 2]);
  }
  void add_quotient(const Job& job, const msm::DigitList& list) {
    auto& h = work_.h(circuit_);
    msm::add_to_buckets(streams_.main, quotient_.plan, list, job.first(), circuit_.h(), h.buckets.data(),
                        h.scratch);
    if (job.last())
      msm::reduce_buckets(streams_.main, quotient_.plan, h.buckets.data(), h.scratch, &work_.sums.data()->h);
    events_.mark(streams_.main, Phase::msm_h);
  }
  void add_witness(const Job& job, const msm::DigitList& list) {
    const msm::Plan& plan = witness_.plan;
    for (const Query& query : witness_queries()) {
      auto* buckets = work_.buckets(query.number);
      auto& scratch = work_.scratch(circuit_, query.number);
      msm::add_to_buckets(streams_.main, plan, list, job.first(), query.table, buckets, scratch);
      if (job.last()) msm::reduce_buckets(streams_.main, plan, buckets, scratch, query.result);
      events_.mark(streams_.main, query.phase);
    }
    auto& b2 = work_.b2();
    msm::add_to_buckets(streams_.main, plan, list, job.first(), circuit_.b2(), b2.buckets.data(), b2.scratch);
    if (job.last())
      msm::reduce_buckets(streams_.main, plan, b2.buckets.data(), b2.scratch, &work_.sums.data()->b2);
    events_.mark(streams_.main, Phase::msm_b2);
  }

  const LaneStreams& streams_;
  const DeviceCircuit<C>& circuit_;
  LaneWorkspace<C>& work_;
  PhaseEvents& events_;
  std::uint64_t modulus_[4];
  Scalars quotient_, witness_;
};

}  // namespace penstock::cuda
