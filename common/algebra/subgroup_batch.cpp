#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <span>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "common/algebra/cell_sums.hpp"
#include "common/algebra/subgroup.hpp"

namespace penstock::algebra {
namespace {

// 16 × 16 × 16 cells. A cell's coordinates are uniform and independent, so testing the 16 sums along each of
// the three axes misses a bad set with probability (1/16)³ = 1/4096, as one test per cell would.
constexpr std::size_t axis_cells = 16;
constexpr std::size_t cell_count = axis_cells * axis_cells * axis_cells;
constexpr std::size_t points_per_random_block = 1024;
// Below this many points the additions among cells cost more than one test per point (BLS12-381 G1).
constexpr std::size_t one_by_one_below = 512;

void fill_random(std::span<std::uint16_t> block) {
  auto bytes = std::as_writable_bytes(block);
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
    if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

/// Runs work(first, last, share) over [0, size) in equal shares, the last on the calling thread. An exception
/// of a share is thrown here, after all have ended.
template <class Work>
void in_shares(std::size_t size, unsigned threads, const Work& work) {
  std::vector<std::exception_ptr> failures(threads);
  const auto run = [&](unsigned share) {
    try {
      work(size * share / threads, size * (share + 1) / threads, share);
    } catch (...) {
      failures[share] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned share = 0; share + 1 < threads; ++share) helpers.emplace_back(run, share);
    run(threads - 1);
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

/// Every point of [first, last) into one random cell of each round. Cells of a round are adjacent.
template <class Point>
void scatter(UnalignedSpan<Point> points, std::size_t first, std::size_t last, std::size_t rounds,
             CellSums<Point>& sums) {
  std::vector<std::uint16_t> random(rounds * points_per_random_block);
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t position = (i - first) % points_per_random_block;
    if (position == 0) fill_random(std::span(random).first(std::min(random.size(), (last - i) * rounds)));
    const Point point = points[i];
    for (std::size_t round = 0; round < rounds; ++round)
      sums.add(
          static_cast<std::uint32_t>(round * cell_count + random[position * rounds + round] % cell_count),
          point);
  }
}

/// True when the sums along every axis of one round's cells lie in the subgroup.
template <class C, class Point>
bool round_passes(std::span<const Point> cells) {
  using Sum = Xyzz<typename Point::Coordinate>;
  std::array<Sum, axis_cells> along_first, along_second, along_third;
  along_first.fill(Sum::infinity());
  along_second = along_third = along_first;
  for (std::size_t row = 0; row < axis_cells * axis_cells; ++row) {
    Sum row_sum = Sum::infinity();
    for (std::size_t column = 0; column < axis_cells; ++column) {
      const Point& cell = cells[row * axis_cells + column];
      along_first[column].add(cell);
      row_sum.add(cell);
    }
    along_second[row % axis_cells].add(row_sum);
    along_third[row / axis_cells].add(row_sum);
  }
  const auto inside = [](const Sum& sum) { return C::in_subgroup(sum.to_affine()); };
  return std::ranges::all_of(along_first, inside) && std::ranges::all_of(along_second, inside) &&
         std::ranges::all_of(along_third, inside);
}

template <class C, class Point>
bool all_rounds_pass(UnalignedSpan<Point> points, unsigned threads, std::size_t rounds) {
  std::vector<CellSums<Point>> shares;
  for (unsigned share = 0; share < threads; ++share) shares.emplace_back(rounds * cell_count);
  in_shares(points.size(), threads, [&](std::size_t first, std::size_t last, unsigned share) {
    scatter(points, first, last, rounds, shares[share]);
    shares[share].finish();
  });
  for (unsigned share = 1; share < threads; ++share) {
    const std::span<const Point> cells = shares[share].finish();
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
      shares[0].add(static_cast<std::uint32_t>(cell), cells[cell]);
  }
  const std::span<const Point> cells = shares[0].finish();
  std::atomic<bool> pass{true};
  in_shares(rounds, threads, [&](std::size_t first, std::size_t last, unsigned) {
    for (std::size_t round = first; round < last && pass.load(); ++round)
      if (!round_passes<C>(cells.subspan(round * cell_count, cell_count))) pass.store(false);
  });
  return pass.load();
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
  const auto rounds = static_cast<std::size_t>(std::max(options.rounds, 1));
  if (all_rounds_pass<C>(points, threads, rounds)) return std::nullopt;
  return find_outside_subgroup_one_by_one<C>(points, threads);
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
