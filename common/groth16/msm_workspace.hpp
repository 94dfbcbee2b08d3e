// The definitions of MsmWorkspace, compiled once per point type (msm_bn254_g1.cpp and its siblings).
#pragma once

#include <algorithm>

#include "common/groth16/msm.hpp"

namespace penstock::groth16 {

/// Entries a thread sums at a time: two levels of G1 points and their products stay in a second-level cache,
/// and an inversion is shared by up to half as many additions.
inline constexpr std::uint32_t entries_per_piece = 4096;
/// Buckets of one query held at a time.
inline constexpr std::size_t bucket_bytes = std::size_t{32} << 20;
/// A reduction piece below this many buckets is not worth cutting.
inline constexpr std::size_t smallest_reduction = 512;

template <class Point>
void MsmWorkspace<Point>::add_windows(ThreadTeam& team, const WindowLists& lists,
                                      const MsmQuery<Point>& query, std::span<Sum> window_sums) {
  buckets_per_window_ = lists.buckets();
  const std::size_t fitting = bucket_bytes / (buckets_per_window_ * sizeof(Point));
  const int step =
      static_cast<int>(std::clamp<std::size_t>(fitting, 1, static_cast<std::size_t>(lists.count())));
  for (int first = 0; first < lists.count(); first += step) {
    const int count = std::min(step, lists.count() - first);
    cut(lists, first, count);
    const std::size_t used = static_cast<std::size_t>(count) * buckets_per_window_;
    if (buckets_.size() < used) buckets_.resize(used);
    team.for_ranges(used, 8192, [&](std::size_t begin, std::size_t end) {
      std::fill(buckets_.begin() + static_cast<std::ptrdiff_t>(begin),
                buckets_.begin() + static_cast<std::ptrdiff_t>(end), Point::infinity());
    });
    team.for_each(pieces_.size(), [&](std::size_t index, int worker) {
      sum_piece(index, workers_[static_cast<std::size_t>(worker)], lists, first, query);
    });
    team.for_each(static_cast<std::size_t>(count), [&](std::size_t window, int worker) {
      merge_edges(static_cast<int>(window), first, workers_[static_cast<std::size_t>(worker)]);
    });
    reduce(team, count, window_sums.subspan(static_cast<std::size_t>(lists.first() + first)));
  }
}

template <class Point>
void MsmWorkspace<Point>::cut(const WindowLists& lists, int first, int count) {
  pieces_.clear();
  for (int window = first; window < first + count; ++window) {
    const auto entries = static_cast<std::uint32_t>(lists.entries(window).size());
    const std::uint32_t parts = (entries + entries_per_piece - 1) / entries_per_piece;
    for (std::uint32_t part = 0; part < parts; ++part)
      pieces_.push_back({window, static_cast<std::uint32_t>(std::uint64_t{entries} * part / parts),
                         static_cast<std::uint32_t>(std::uint64_t{entries} * (part + 1) / parts)});
  }
  edges_.assign(pieces_.size(), {});
}

template <class Point>
void MsmWorkspace<Point>::sum_piece(std::size_t index, Worker& worker, const WindowLists& lists,
                                    int first_window, const MsmQuery<Point>& query) {
  const Piece& piece = pieces_[index];
  const std::span<const std::uint32_t> offsets = lists.offsets(piece.window);
  const std::span<const std::uint32_t> entries = lists.entries(piece.window);
  const std::byte* base = query.points.bytes().data();
  worker.tree.clear(piece.end - piece.begin);
  const auto after = std::upper_bound(offsets.begin(), offsets.end(), piece.begin);
  auto bucket = static_cast<std::uint32_t>(after - offsets.begin()) - 1;
  for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
    while (offsets[bucket + 1] <= i) ++bucket;
    const std::uint32_t ahead = entries[std::min(i + 8, piece.end - 1)] >> 1;
    if (ahead >= query.first_scalar) __builtin_prefetch(base + (ahead - query.first_scalar) * sizeof(Point));
    const std::uint32_t scalar = entries[i] >> 1;
    if (scalar < query.first_scalar) continue;
    const std::uint32_t at = scalar - query.first_scalar;
    if (!query.finite.empty() && (query.finite[at / 64] >> (at % 64) & 1) == 0) continue;
    const Point point = query.points[at];
    worker.tree.push(bucket, (entries[i] & 1) != 0 ? -point : point);
  }
  worker.tree.sum_runs();
  Point* buckets =
      buckets_.data() + static_cast<std::size_t>(piece.window - first_window) * buckets_per_window_;
  for (std::size_t k = 0; k < worker.tree.keys().size(); ++k) {
    const std::uint32_t key = worker.tree.keys()[k];
    const bool cut_before = offsets[key]<piece.begin, cut_after = offsets[key + 1]> piece.end;
    if (cut_before || cut_after)
      edges_[index][cut_before ? 0 : 1] = {key, true, worker.tree.points()[k]};
    else
      buckets[key] = worker.tree.points()[k];
  }
}

/// The cut buckets of one window: their parts come in bucket order, so they are runs again.
template <class Point>
void MsmWorkspace<Point>::merge_edges(int window, int first_window, Worker& worker) {
  const auto is_before = [](const Piece& piece, int w) { return piece.window < w; };
  const auto begin = std::lower_bound(pieces_.begin(), pieces_.end(), first_window + window, is_before);
  const auto end = std::lower_bound(begin, pieces_.end(), first_window + window + 1, is_before);
  worker.tree.clear(2 * static_cast<std::size_t>(end - begin));
  for (auto piece = begin; piece != end; ++piece)
    for (const Edge& edge : edges_[static_cast<std::size_t>(piece - pieces_.begin())])
      if (edge.used) worker.tree.push(edge.bucket, edge.sum);
  worker.tree.sum_runs();
  Point* buckets = buckets_.data() + static_cast<std::size_t>(window) * buckets_per_window_;
  for (std::size_t k = 0; k < worker.tree.keys().size(); ++k)
    buckets[worker.tree.keys()[k]] = worker.tree.points()[k];
}

template <class Point>
void MsmWorkspace<Point>::reduce(ThreadTeam& team, int count, std::span<Sum> window_sums) {
  std::size_t cuts = 1;  // per window, a power of two
  while (cuts * static_cast<std::size_t>(count) < 2 * static_cast<std::size_t>(team.size()) &&
         buckets_per_window_ / (2 * cuts) >= smallest_reduction)
    cuts *= 2;
  const std::size_t length = buckets_per_window_ / cuts;
  reduced_.resize(static_cast<std::size_t>(count) * cuts);
  team.for_each(reduced_.size(), [&](std::size_t task, int worker) {
    reduced_[task] =
        workers_[static_cast<std::size_t>(worker)].reducer.reduce({buckets_.data() + task * length, length});
  });
  for (std::size_t task = 0; task < reduced_.size(); ++task) {
    Sum& sum = window_sums[task / cuts];
    sum.add(reduced_[task].weighted);
    sum.add(small_multiple(reduced_[task].plain, task % cuts * length));
  }
}

}  // namespace penstock::groth16
