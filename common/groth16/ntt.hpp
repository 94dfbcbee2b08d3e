// Number-theoretic transforms on one domain, for the quotient polynomial: evaluations -> coefficients ->
// evaluations on a coset. The root and the coset's shift belong to the key format (formats.md), so the caller
// gives them. Shape: values are Montgomery field elements, `size()` of them per polynomial; between the two
// transforms they lie in
//   bit-reversed order, so no reversal is ever done. The inverse is not divided by N: the caller folds 1/N.
// Ownership: owns its twiddles, 2N elements. Threads: transforms are const and may run concurrently, on other
// data. Errors: none; sizes are preconditions. Cost: N/2 log2(N) products per polynomial; construction
// about 1.5 N products. Coset shifts ride on the twiddles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/base/large_vector.hpp"
#include "common/groth16/ntt_kernels.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {

template <class F>
class NttDomain {
 public:
  struct Roots {
    F root;         ///< a primitive 2^log2-th root of unity
    F coset_shift;  ///< g: the second transform evaluates on g * <root>; 1 for the domain itself
  };
  NttDomain(ThreadTeam& team, int log2, const Roots& roots);

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Natural evaluations on <root> -> N times the coefficients, reversed. REQUIRES size() values each.
  void evaluations_to_coefficients(ThreadTeam& team, std::span<const std::span<F>> polynomials) const;
  /// Reversed coefficients -> natural evaluations on the coset. REQUIRES size() values each.
  void coefficients_to_coset(ThreadTeam& team, std::span<const std::span<F>> polynomials) const;

 private:
  void fill_inverse(ThreadTeam& team, const F& root);
  void fill_coset(ThreadTeam& team, const F& shift);
  [[nodiscard]] int shared_passes(int threads, std::size_t polynomials) const;
  template <class Pass>
  void share_pass(ThreadTeam& team, std::span<const std::span<F>> polynomials, std::size_t block,
                  Pass pass) const;

  int log2_;
  std::size_t size_;
  LargeVector<F> inverse_;  // [h + j] = root_2h^-j
  LargeVector<F> coset_;    // [h + j] = shift^(N/2h) * root_2h^j
};

/// Values a thread takes at a time when a pass is shared by the team.
inline constexpr std::size_t ntt_grain = 1024;

template <class F>
NttDomain<F>::NttDomain(ThreadTeam& team, int log2, const Roots& roots)
    : log2_(log2), size_(std::size_t{1} << log2), inverse_(size_), coset_(size_) {
  if (log2 == 0) return;
  fill_inverse(team, roots.root.inverse());
  fill_coset(team, roots.coset_shift);
}

template <class F>
void NttDomain<F>::fill_inverse(ThreadTeam& team, const F& root) {
  const std::size_t half = size_ / 2;
  F* top = inverse_.data() + half;
  team.for_ranges(half, ntt_grain, [&](std::size_t begin, std::size_t end) {
    const std::uint64_t exponent[1] = {begin};
    F power = root.pow(exponent);
    for (std::size_t j = begin; j < end; ++j, power *= root) top[j] = power;
  });
  for (std::size_t h = half / 2; h != 0; h /= 2)
    for (std::size_t j = 0; j < h; ++j) inverse_[h + j] = inverse_[2 * h + 2 * j];
}

template <class F>
void NttDomain<F>::fill_coset(ThreadTeam& team, const F& shift) {
  F stage_shift = shift;  // shift^(N/2h), from the last stage (h = N/2) to the first
  for (std::size_t h = size_ / 2; h != 0; h /= 2) {
    coset_[h] = stage_shift;
    const F negative = -stage_shift;
    // root_2h^h = -1, so root_2h^j = -root_2h^-(h - j): the inverse table serves.
    team.for_ranges(h - 1, ntt_grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t j = begin + 1; j < end + 1; ++j) coset_[h + j] = negative * inverse_[2 * h - j];
    });
    stage_shift = stage_shift.square();
  }
}

/// How many passes of two stages the whole team shares before every block is a task of its own.
template <class F>
int NttDomain<F>::shared_passes(int threads, std::size_t polynomials) const {
  if (threads == 1) return 0;
  const std::size_t wanted = static_cast<std::size_t>(threads) * 8;
  int passes = 0;
  while ((polynomials << (2 * passes)) < wanted && log2_ - 2 * passes > 8) ++passes;
  return passes;
}

/// One pass over blocks of `block` values, every block cut into as many pieces as the grain allows.
template <class F>
template <class Pass>
void NttDomain<F>::share_pass(ThreadTeam& team, std::span<const std::span<F>> polynomials, std::size_t block,
                              Pass pass) const {
  const std::size_t quarter = block / 4;
  const std::size_t blocks = size_ / block;
  const std::size_t pieces = quarter < ntt_grain ? 1 : quarter / ntt_grain;
  team.for_each(polynomials.size() * blocks * pieces, [&](std::size_t task, int) {
    F* x = polynomials[task / (blocks * pieces)].data() + task / pieces % blocks * block;
    const std::size_t piece = task % pieces;
    pass(x, quarter, quarter * piece / pieces, quarter * (piece + 1) / pieces);
  });
}

template <class F>
void NttDomain<F>::evaluations_to_coefficients(ThreadTeam& team,
                                               std::span<const std::span<F>> polynomials) const {
  const int passes = shared_passes(team.size(), polynomials.size());
  const F* table = inverse_.data();
  for (int pass = 0; pass < passes; ++pass)
    share_pass(team, polynomials, size_ >> (2 * pass),
               [table](F* x, std::size_t quarter, std::size_t begin, std::size_t end) {
                 ntt::frequency_pass(x, quarter, table, begin, end);
               });
  const std::size_t block = size_ >> (2 * passes), blocks = size_ / block;
  team.for_each(polynomials.size() * blocks, [&](std::size_t task, int) {
    ntt::frequency_transform(polynomials[task / blocks].data() + task % blocks * block, block, table);
  });
}

template <class F>
void NttDomain<F>::coefficients_to_coset(ThreadTeam& team, std::span<const std::span<F>> polynomials) const {
  const int passes = shared_passes(team.size(), polynomials.size());
  const F* table = coset_.data();
  const std::size_t block = size_ >> (2 * passes), blocks = size_ / block;
  team.for_each(polynomials.size() * blocks, [&](std::size_t task, int) {
    ntt::time_transform(polynomials[task / blocks].data() + task % blocks * block, block, table);
  });
  for (int pass = passes - 1; pass >= 0; --pass)
    share_pass(team, polynomials, size_ >> (2 * pass),
               [table](F* x, std::size_t quarter, std::size_t begin, std::size_t end) {
                 ntt::time_pass(x, quarter, table, begin, end);
               });
}

extern template class NttDomain<algebra::Bn254::Fr>;
extern template class NttDomain<algebra::Bls12_381::Fr>;

}  // namespace penstock::groth16
