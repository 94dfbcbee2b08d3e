// The Lagrange basis of a power-of-two domain at one point: what a setup evaluates its polynomials with.
// Shape: l_i(x) = (x^N - 1)/N * w^i/(x - w^i) for i in [0, N).
// Threads: uses the team. Errors: none. Cost: about 7 products a value.
#pragma once

#include <cstddef>
#include <vector>

#include "common/algebra/field.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {

/// REQUIRES that x is not in the domain (x^N != 1).
template <class F>
[[nodiscard]] std::vector<F> lagrange_at(ThreadTeam& team, int domain_log2, const F& root, const F& x) {
  const std::size_t n = std::size_t{1} << domain_log2;
  const std::uint64_t exponent[1] = {n};
  const F scale = (x.pow(exponent) - F::one()) * F::from_u64(n).inverse();
  std::vector<F> values(n);
  team.for_ranges(n, 4096, [&](std::size_t begin, std::size_t end) {
    const std::uint64_t first[1] = {begin};
    const F start = root.pow(first);
    F power = start;
    for (std::size_t i = begin; i < end; ++i, power *= root) values[i] = x - power;
    algebra::batch_inverse(std::span<F>(values).subspan(begin, end - begin));
    power = start * scale;
    for (std::size_t i = begin; i < end; ++i, power *= root) values[i] *= power;
  });
  return values;
}

}  // namespace penstock::groth16
