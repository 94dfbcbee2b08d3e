// Subgroup membership of many points at once, as formats.md ("Subgroups") describes.
// Shape: points are views into a mapped file, on the curve, infinity allowed; one point: C::in_subgroup.
// Ownership: nothing is kept. Threads: starts options.threads - 1 of its own and joins them.
// Errors: throws std::system_error when the operating system gives no randomness.
// Cost: each round one batched affine addition (5M + 1S) per finite point, 9,000 additions and 48
// endomorphism tests; 4,096 points of memory per round and thread. A failing batch adds one endomorphism
// test per point, to name the culprit.
#pragma once

#include <cstddef>
#include <optional>

#include "common/algebra/bls12_381.hpp"
#include "common/algebra/bn254.hpp"
#include "common/base/unaligned.hpp"

namespace penstock::algebra {

struct SubgroupCheckOptions {
  unsigned threads = 1;
  /// A set with a point outside passes with probability at most 4096^-rounds: 2^-48 by default.
  int rounds = 4;
};

/// The index of the first point outside the subgroup of order r, if there is one. `Point` is C::G1 or C::G2.
/// REQUIRES: every point is on the curve.
template <class C, class Point>
[[nodiscard]] std::optional<std::size_t> find_outside_subgroup(UnalignedSpan<Point> points,
                                                               const SubgroupCheckOptions& options = {});

/// The same by one endomorphism test per point: slow and certain. What a failing batch and small sets use.
template <class C, class Point>
[[nodiscard]] std::optional<std::size_t> find_outside_subgroup_one_by_one(UnalignedSpan<Point> points,
                                                                          unsigned threads = 1);

}  // namespace penstock::algebra
