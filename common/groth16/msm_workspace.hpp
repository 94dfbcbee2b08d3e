// The definitions of MsmWorkspace, compiled once per point type (msm_bn254_g1.cpp and its siblings).
#pragma once

#include <algorithm>

#include "common/groth16/msm.hpp"

namespace penstock::groth16 {

/// Entries a thread sums at a time: two levels of G1 points and their products stay in a second-level cache,
/// and an inversion is shared by up to half as many additions.
inline constexpr std::uint32_t entries_per_piece = 4096;
/// Points asked for before they are needed: a dozen misses at a time is what a core has in flight.
inline constexpr std::uint32_t entries_ahead = 16;
/// In lanes an addition costs a sixth, the inversion the same: 8,192 points of BN254 G1.
inline constexpr std::uint32_t piece_bytes_in_lanes = 512 << 10;
template <class Point>
inline constexpr std::uint32_t entries_per_piece_in_lanes =
    std::max(piece_bytes_in_lanes / static_cast<std::uint32_t>(sizeof(Point)), entries_per_piece);
/// Buckets of one query held at a time.
inline constexpr std::size_t bucket_bytes = std::size_t{8} << 20;
/// A reduction piece below this many buckets is not worth cutting.
inline constexpr std::size_t smallest_reduction = 512;
/// XYZZ additions (about 0.25 us each) below which waking the team costs more than it saves.
inline constexpr std::size_t additions_worth_waking = 2000;

template <class Point>
void MsmWorkspace<Point>::add_windows(ThreadTeam& team, const WindowLists& lists,
                                      const MsmQuery<Point>& query, std::span<Sum> window_sums) {
  const std::span<Sum> sums = window_sums.subspan(static_cast<std::size_t>(lists.first()));
  buckets_per_window_ = lists.buckets();
  serial_windows_.clear();
  batched_windows_.clear();
  for (int window = 0; window < lists.count(); ++window) {
    const std::size_t entries = lists.entries(window).size();
    if (entries == 0) continue;
    (is_cheaper_serially(entries, buckets_per_window_) ? serial_windows_ : batched_windows_)
        .push_back(window);
  }
  add_serial_windows(team, lists, query, sums);
  add_batched_windows(team, lists, query, sums);
}

/// Every line of a point: in a mapped file it begins anywhere.
inline void prefetch(const std::byte* place, std::size_t size) {
  constexpr std::size_t line = 64;
  for (std::size_t offset = 0; offset < size; offset += line) __builtin_prefetch(place + offset);
  __builtin_prefetch(place + size - 1);
}

/// visit(bucket, point) for the finite points of a piece, in bucket order, signs applied.
template <class Point>
template <class Visit>
void MsmWorkspace<Point>::for_each_point(const WindowLists& lists, const Piece& piece,
                                         const MsmQuery<Point>& query, Visit&& visit) {
  const std::span<const std::uint32_t> offsets = lists.offsets(piece.window);
  const std::span<const std::uint32_t> entries = lists.entries(piece.window);
  const std::byte* base = query.points.bytes().data();
  const auto after = std::upper_bound(offsets.begin(), offsets.end(), piece.begin);
  auto bucket = static_cast<std::uint32_t>(after - offsets.begin()) - 1;
  for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
    while (offsets[bucket + 1] <= i) ++bucket;
    const std::uint32_t ahead = entries[std::min(i + entries_ahead, piece.end - 1)] >> 1;
    if (ahead >= query.first_scalar)
      prefetch(base + (ahead - query.first_scalar) * sizeof(Point), sizeof(Point));
    const std::uint32_t scalar = entries[i] >> 1;
    if (scalar < query.first_scalar) continue;
    const std::uint32_t at = scalar - query.first_scalar;
    if (!query.finite.empty() && (query.finite[at / 64] >> (at % 64) & 1) == 0) continue;
    const Point point = query.points[at];
    const typename Point::Coordinate ys[2] = {point.y, -point.y};  // signs are random: no branch
    visit(bucket, Point{point.x, ys[entries[i] & 1]});
  }
}

template <class Point>
typename MsmWorkspace<Point>::Sum MsmWorkspace<Point>::sum_serially(const WindowLists& lists, int window,
                                                                    const MsmQuery<Point>& query,
                                                                    std::vector<Sum>& buckets) {
  buckets.assign(lists.buckets(), Sum::infinity());
  const auto entries = static_cast<std::uint32_t>(lists.entries(window).size());
  for_each_point(lists, {window, 0, 0, entries}, query,
                 [&](std::uint32_t bucket, const Point& point) { buckets[bucket].add(point); });
  Sum running = Sum::infinity(), total = Sum::infinity();
  for (std::size_t b = buckets.size(); b-- > 0;) {
    running.add(buckets[b]);
    total.add(running);
  }
  return total;
}

template <class Point>
void MsmWorkspace<Point>::add_serial_windows(ThreadTeam& team, const WindowLists& lists,
                                             const MsmQuery<Point>& query, std::span<Sum> window_sums) {
  std::size_t additions = 0;
  for (const int window : serial_windows_) additions += lists.entries(window).size() + buckets_per_window_;
  const auto add = [&](std::size_t i, int worker) {
    const int window = serial_windows_[i];
    window_sums[static_cast<std::size_t>(window)].add(
        sum_serially(lists, window, query, workers_[static_cast<std::size_t>(worker)].serial_buckets));
  };
  if (additions >= additions_worth_waking) return team.for_each(serial_windows_.size(), add);
  for (std::size_t i = 0; i < serial_windows_.size(); ++i) add(i, 0);
}

template <class Point>
void MsmWorkspace<Point>::add_batched_windows(ThreadTeam& team, const WindowLists& lists,
                                              const MsmQuery<Point>& query, std::span<Sum> window_sums) {
  const std::size_t fitting = std::max<std::size_t>(bucket_bytes / (buckets_per_window_ * sizeof(Point)), 1);
  const std::span<const int> all(batched_windows_);
  for (std::size_t first = 0; first < all.size(); first += fitting) {
    const std::span<const int> windows = all.subspan(first, std::min(fitting, all.size() - first));
    cut(lists, windows);
    const std::size_t used = windows.size() * buckets_per_window_;
    if (buckets_.size() < used) buckets_.resize(used);
    team.for_ranges(used, 8192, [&](std::size_t begin, std::size_t end) {
      std::fill(buckets_.begin() + static_cast<std::ptrdiff_t>(begin),
                buckets_.begin() + static_cast<std::ptrdiff_t>(end), Point::infinity());
    });
    team.for_each(pieces_.size(), [&](std::size_t index, int worker) {
      sum_piece(index, workers_[static_cast<std::size_t>(worker)], lists, query);
    });
    team.for_each(windows.size(), [&](std::size_t slot, int worker) {
      merge_edges(static_cast<int>(slot), workers_[static_cast<std::size_t>(worker)]);
    });
    reduce(team, windows, window_sums);
  }
}

template <class Point>
void MsmWorkspace<Point>::cut(const WindowLists& lists, std::span<const int> windows) {
  pieces_.clear();
  const std::uint32_t piece_size = algebra::active_lanes() == algebra::LanePath::ifma
                                       ? entries_per_piece_in_lanes<Point>
                                       : entries_per_piece;
  for (std::size_t slot = 0; slot < windows.size(); ++slot) {
    const auto entries = static_cast<std::uint32_t>(lists.entries(windows[slot]).size());
    const std::uint32_t parts = (entries + piece_size - 1) / piece_size;
    for (std::uint32_t part = 0; part < parts; ++part)
      pieces_.push_back({windows[slot], static_cast<int>(slot),
                         static_cast<std::uint32_t>(std::uint64_t{entries} * part / parts),
                         static_cast<std::uint32_t>(std::uint64_t{entries} * (part + 1) / parts)});
  }
  edges_.assign(pieces_.size(), {});
}

template <class Point>
void MsmWorkspace<Point>::sum_piece(std::size_t index, Worker& worker, const WindowLists& lists,
                                    const MsmQuery<Point>& query) {
  const Piece& piece = pieces_[index];
  BucketTree<Point>& tree = worker.tree;
  tree.clear(piece.end - piece.begin);
  for_each_point(lists, piece, query,
                 [&tree](std::uint32_t bucket, const Point& point) { tree.push(bucket, point); });
  tree.sum_runs();
  const std::span<const std::uint32_t> offsets = lists.offsets(piece.window);
  Point* buckets = buckets_.data() + static_cast<std::size_t>(piece.slot) * buckets_per_window_;
  for (std::size_t k = 0; k < tree.keys().size(); ++k) {
    const std::uint32_t key = tree.keys()[k];
    const bool cut_before = offsets[key]<piece.begin, cut_after = offsets[key + 1]> piece.end;
    if (cut_before || cut_after)
      edges_[index][cut_before ? 0 : 1] = {key, true, tree.points()[k]};
    else
      buckets[key] = tree.points()[k];
  }
}

/// The cut buckets of one window: their parts come in bucket order, so they are runs again.
template <class Point>
void MsmWorkspace<Point>::merge_edges(int slot, Worker& worker) {
  const auto is_before = [](const Piece& piece, int s) { return piece.slot < s; };
  const auto begin = std::lower_bound(pieces_.begin(), pieces_.end(), slot, is_before);
  const auto end = std::lower_bound(begin, pieces_.end(), slot + 1, is_before);
  BucketTree<Point>& tree = worker.tree;
  tree.clear(2 * static_cast<std::size_t>(end - begin));
  for (auto piece = begin; piece != end; ++piece)
    for (const Edge& edge : edges_[static_cast<std::size_t>(piece - pieces_.begin())])
      if (edge.used) tree.push(edge.bucket, edge.sum);
  tree.sum_runs();
  Point* buckets = buckets_.data() + static_cast<std::size_t>(slot) * buckets_per_window_;
  for (std::size_t k = 0; k < tree.keys().size(); ++k) buckets[tree.keys()[k]] = tree.points()[k];
}

/// A window is cut where there are fewer of them than threads; otherwise a thread takes several at once.
template <class Point>
void MsmWorkspace<Point>::reduce(ThreadTeam& team, std::span<const int> windows, std::span<Sum> window_sums) {
  const auto threads = static_cast<std::size_t>(team.size());
  std::size_t cuts = 1;  // per window, a power of two
  while (cuts * windows.size() < 2 * threads && buckets_per_window_ / (2 * cuts) >= smallest_reduction)
    cuts *= 2;
  const std::size_t length = buckets_per_window_ / cuts, parts = windows.size() * cuts;
  const std::size_t tasks = std::min(parts, threads);
  reduced_.resize(parts);
  team.for_each(tasks, [&](std::size_t task, int worker) {
    const std::size_t begin = parts * task / tasks, end = parts * (task + 1) / tasks;
    const auto results = workers_[static_cast<std::size_t>(worker)].reducer.reduce(
        {buckets_.data() + begin * length, (end - begin) * length}, end - begin);
    std::copy(results.begin(), results.end(), reduced_.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  for (std::size_t part = 0; part < parts; ++part) {
    Sum& sum = window_sums[static_cast<std::size_t>(windows[part / cuts])];
    sum.add(reduced_[part].weighted);
    sum.add(small_multiple(reduced_[part].plain, part % cuts * length));
  }
}

}  // namespace penstock::groth16
