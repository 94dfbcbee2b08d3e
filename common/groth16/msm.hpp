// Multi-scalar multiplication on the host: sum of s_i P_i, over G1 or G2 of either curve.
// Shape: scalars are folded, cut into signed windows and sorted once (MsmScalars, WindowLists); each query
// then sums its
//   points bucket by bucket (BucketTree), reduces the buckets (BucketReducer) and joins the windows by
//   Horner's rule. Several queries over the same scalars share the digits and the sort.
// Ownership: points are read in place, unaligned, from the caller's (mapped) memory; the workspace is reused.
// Threads: one call at a time per workspace; the work is split over the team.
// Errors: none; points are on the curve. P = +-Q, infinities, zero scalars and any skew are handled.
// Cost: about 6.5 products per non-zero digit and 13 per bucket. README of this folder has timings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/base/large_vector.hpp"
#include "common/base/unaligned.hpp"
#include "common/groth16/bucket_reduction.hpp"
#include "common/groth16/bucket_tree.hpp"
#include "common/groth16/thread_team.hpp"
#include "common/groth16/window_lists.hpp"

namespace penstock::groth16 {

/// Scalar i belongs to point i - first_scalar; scalars below first_scalar have none.
template <class Point>
struct MsmQuery {
  UnalignedSpan<Point> points;
  std::span<const std::uint64_t> finite =
      {};  ///< bit i: point i is not infinity; empty: all are finite or cheap
  std::uint32_t first_scalar = 0;
};

template <class Point>
class MsmWorkspace {
 public:
  using Sum = algebra::Xyzz<typename Point::Coordinate>;

  explicit MsmWorkspace(const ThreadTeam& team) : workers_(static_cast<std::size_t>(team.size())) {}

  /// Adds the windows that `lists` holds to the query's window sums.
  void add_windows(ThreadTeam& team, const WindowLists& lists, const MsmQuery<Point>& query,
                   std::span<Sum> window_sums);

 private:
  struct Worker {
    BucketTree<Point> tree;
    BucketReducer<Point> reducer;
    std::vector<Sum> serial_buckets;
  };
  struct Piece {               // a range of one window's entries
    int window = 0, slot = 0;  // the window's place in lists, and among those whose buckets are held now
    std::uint32_t begin = 0, end = 0;
  };
  struct Edge {  // a bucket that a piece shares with its neighbours
    std::uint32_t bucket = 0;
    bool used = false;
    Point sum;
  };
  template <class Visit>
  static void for_each_point(const WindowLists& lists, const Piece& piece, const MsmQuery<Point>& query,
                             Visit&& visit);
  [[nodiscard]] static Sum sum_serially(const WindowLists& lists, int window, const MsmQuery<Point>& query,
                                        std::vector<Sum>& buckets);
  void add_serial_windows(ThreadTeam& team, const WindowLists& lists, const MsmQuery<Point>& query,
                          std::span<Sum> window_sums);
  void add_batched_windows(ThreadTeam& team, const WindowLists& lists, const MsmQuery<Point>& query,
                           std::span<Sum> window_sums);
  void cut(const WindowLists& lists, std::span<const int> windows);
  void sum_piece(std::size_t index, Worker& worker, const WindowLists& lists, const MsmQuery<Point>& query);
  void merge_edges(int slot, Worker& worker);
  void reduce(ThreadTeam& team, std::span<const int> windows, std::span<Sum> window_sums);

  std::vector<Worker> workers_;
  std::size_t buckets_per_window_ = 0;
  std::vector<int> serial_windows_, batched_windows_;
  LargeVector<Point> buckets_;
  std::vector<Piece> pieces_;
  std::vector<std::array<Edge, 2>> edges_;
  std::vector<BucketPiece<Point>> reduced_;
};

/// Sum over the windows of 2^(c w) times their sums.
template <class Sum>
[[nodiscard]] Sum join_windows(std::span<const Sum> window_sums, int window_bits) {
  Sum result = Sum::infinity();
  for (std::size_t w = window_sums.size(); w-- > 0;) {
    for (int i = 0; i < window_bits; ++i) result.double_in_place();
    result.add(window_sums[w]);
  }
  return result;
}

/// One query alone. REQUIRES canonical scalars. `window_bits` 0: the cost model's choice.
template <class C, class Point>
[[nodiscard]] algebra::Xyzz<typename Point::Coordinate> msm(ThreadTeam& team,
                                                            UnalignedSpan<circuit::Scalar> scalars,
                                                            const MsmQuery<Point>& query,
                                                            int window_bits = 0) {
  MsmScalars digits;
  digits.load(team, C::id, scalars, window_bits);
  WindowLists lists;
  MsmWorkspace<Point> workspace(team);
  std::vector<algebra::Xyzz<typename Point::Coordinate>> sums(
      static_cast<std::size_t>(digits.plan().windows), algebra::Xyzz<typename Point::Coordinate>::infinity());
  const int step = windows_per_build(team, digits);
  for (int first = 0; first < digits.plan().windows; first += step) {
    lists.build(team, digits, first, std::min(step, digits.plan().windows - first));
    workspace.add_windows(team, lists, query, sums);
  }
  return join_windows<algebra::Xyzz<typename Point::Coordinate>>(sums, digits.plan().window_bits);
}

extern template class MsmWorkspace<algebra::Bn254::G1>;
extern template class MsmWorkspace<algebra::Bn254::G2>;
extern template class MsmWorkspace<algebra::Bls12_381::G1>;
extern template class MsmWorkspace<algebra::Bls12_381::G2>;

}  // namespace penstock::groth16
