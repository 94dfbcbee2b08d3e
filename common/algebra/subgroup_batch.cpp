#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "common/algebra/subgroup.hpp"

namespace penstock::algebra {
namespace {

// 16 × 16 × 16 cells. Each coordinate of a cell is uniform and independent of the others, so testing the 16
// sums along each of the three axes misses a bad set with probability (1/16)³ = 1/4096, as 4096 separate
// tests would.
constexpr std::size_t axis_cells = 16;
constexpr std::size_t axis_count = 3;
constexpr std::size_t cell_count = axis_cells * axis_cells * axis_cells;
constexpr std::size_t points_per_random_block = 2048;
// Below this many points the additions among cells cost more than testing each point (measured, BLS12-381
// G1).
constexpr std::size_t one_by_one_below = 512;

void fill_random(std::span<std::uint16_t> block) {
  auto bytes = std::as_writable_bytes(block);
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
    if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

/// Runs work(first, last, share) over [0, size) in equal shares, the last on the calling thread.
template <class Work>
void in_shares(std::size_t size, unsigned threads, const Work& work) {
  std::vector<std::jthread> helpers;
  for (unsigned share = 0; share < threads; ++share) {
    const std::size_t first = size * share / threads, last = size * (share + 1) / threads;
    if (share + 1 == threads)
      work(first, last, share);
    else
      helpers.emplace_back([&work, first, last, share] { work(first, last, share); });
  }
}

template <class Point>
using Cells = std::vector<Xyzz<typename Point::Coordinate>>;

template <class Point>
void scatter(UnalignedSpan<Point> points, std::size_t first, std::size_t last, Cells<Point>& cells) {
  std::array<std::uint16_t, points_per_random_block> random;
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t position = (i - first) % random.size();
    if (position == 0) fill_random(std::span(random).first(std::min(random.size(), last - i)));
    cells[random[position] % cell_count].add(points[i]);
  }
}

/// One round: true when the sums along every axis lie in the subgroup.
template <class C, class Point>
bool round_passes(UnalignedSpan<Point> points, unsigned threads) {
  using Sum = Xyzz<typename Point::Coordinate>;
  std::vector<Cells<Point>> shares(threads, Cells<Point>(cell_count, Sum::infinity()));
  in_shares(points.size(), threads, [&](std::size_t first, std::size_t last, unsigned share) {
    scatter(points, first, last, shares[share]);
  });
  std::array<Sum, axis_count * axis_cells> axis_sums;
  axis_sums.fill(Sum::infinity());
  for (std::size_t cell = 0; cell < cell_count; ++cell) {
    Sum sum = shares[0][cell];
    for (unsigned share = 1; share < threads; ++share) sum.add(shares[share][cell]);
    for (std::size_t axis = 0, rest = cell; axis < axis_count; ++axis, rest /= axis_cells)
      axis_sums[axis * axis_cells + rest % axis_cells].add(sum);
  }
  return std::ranges::all_of(axis_sums, [](const Sum& sum) { return C::in_subgroup(sum.to_affine()); });
}

}  // namespace

template <class C, class Point>
std::optional<std::size_t> find_outside_subgroup_one_by_one(UnalignedSpan<Point> points, unsigned threads) {
  std::atomic<std::size_t> culprit{points.size()};
  in_shares(points.size(), std::max(threads, 1U), [&](std::size_t first, std::size_t last, unsigned) {
    for (std::size_t i = first; i < last && i < culprit.load(std::memory_order_relaxed); ++i) {
      if (C::in_subgroup(points[i])) continue;
      std::size_t known = culprit.load();
      while (i < known && !culprit.compare_exchange_weak(known, i)) {
      }
    }
  });
  if (culprit.load() == points.size()) return std::nullopt;
  return culprit.load();
}

template <class C, class Point>
std::optional<std::size_t> find_outside_subgroup(UnalignedSpan<Point> points,
                                                 const SubgroupCheckOptions& options) {
  if constexpr (std::is_same_v<C, Bn254> && std::is_same_v<Point, Bn254::G1>) return std::nullopt;
  const unsigned threads = std::max(options.threads, 1U);
  if (points.size() < one_by_one_below) return find_outside_subgroup_one_by_one<C>(points, threads);
  for (int round = 0; round < options.rounds; ++round)
    if (!round_passes<C>(points, threads)) return find_outside_subgroup_one_by_one<C>(points, threads);
  return std::nullopt;
}

template std::optional<std::size_t> find_outside_subgroup<Bn254>(UnalignedSpan<Bn254::G1>,
                                                                 const SubgroupCheckOptions&);
template std::optional<std::size_t> find_outside_subgroup<Bn254>(UnalignedSpan<Bn254::G2>,
                                                                 const SubgroupCheckOptions&);
template std::optional<std::size_t> find_outside_subgroup<Bls12_381>(UnalignedSpan<Bls12_381::G1>,
                                                                     const SubgroupCheckOptions&);
template std::optional<std::size_t> find_outside_subgroup<Bls12_381>(UnalignedSpan<Bls12_381::G2>,
                                                                     const SubgroupCheckOptions&);
template std::optional<std::size_t> find_outside_subgroup_one_by_one<Bn254>(UnalignedSpan<Bn254::G1>,
                                                                            unsigned);
template std::optional<std::size_t> find_outside_subgroup_one_by_one<Bn254>(UnalignedSpan<Bn254::G2>,
                                                                            unsigned);
template std::optional<std::size_t> find_outside_subgroup_one_by_one<Bls12_381>(UnalignedSpan<Bls12_381::G1>,
                                                                                unsigned);
template std::optional<std::size_t> find_outside_subgroup_one_by_one<Bls12_381>(UnalignedSpan<Bls12_381::G2>,
                                                                                unsigned);

}  // namespace penstock::algebra
