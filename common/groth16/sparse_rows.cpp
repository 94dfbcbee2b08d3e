#include "common/groth16/sparse_rows.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "common/groth16/random_scalar.hpp"

namespace penstock::groth16 {
namespace {

std::size_t row_of(const circuit::Coefficient& entry, std::uint32_t rows) {
  return static_cast<std::size_t>(entry.matrix) * rows + entry.constraint;
}

circuit::Scalar value_of(const circuit::Coefficient& entry) {  // packed: its limbs have no aligned address
  return {entry.value[0], entry.value[1], entry.value[2], entry.value[3]};
}

constexpr std::uint32_t one = 0, minus_one = 1;
constexpr std::size_t coefficients_per_task = std::size_t{1} << 16;

/// 1 and -1 as a key holds them: n R^2.
std::vector<circuit::Scalar> units(CurveId curve) {
  return algebra::with_curve(curve, [](auto c) -> std::vector<circuit::Scalar> {
    using Fr = typename decltype(c)::type::Fr;
    const Fr unit = Fr::from_limbs(Fr::one().montgomery_limbs());
    return {unit.montgomery_limbs(), (-unit).montgomery_limbs()};
  });
}

}  // namespace

/// Lists every distinct value once, for all workers. Hashed under a seed that no key can know; beyond
/// most_known values the next ones are listed unasked, so that a key of nothing but distinct values costs its
/// own size and no more.
class SparseRows::ValueTable {
 public:
  explicit ValueTable(std::vector<circuit::Scalar>& values)
      : values_(values), known_(0, Hash{random_seed()}) {
    for (std::uint32_t place = 0; place < values.size(); ++place) known_.emplace(values[place], place);
  }
  [[nodiscard]] std::uint32_t place_of(const circuit::Scalar& value) {
    const std::lock_guard lock(mutex_);
    const auto next = static_cast<std::uint32_t>(values_.size());
    if (known_.size() >= most_known) {
      if (const auto found = known_.find(value); found != known_.end()) return found->second;
    } else if (const auto [found, is_new] = known_.emplace(value, next); !is_new) {
      return found->second;
    }
    values_.push_back(value);
    return next;
  }

 private:
  using Seed = std::array<std::uint64_t, 4>;
  struct Hash {
    Seed seed;
    std::size_t operator()(const circuit::Scalar& value) const {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < value.size(); ++i)
        sum += (value[i] >> 32) * seed[i] ^ value[i] * (seed[i] | 1);
      return sum ^ sum >> 29;
    }
  };
  static Seed random_seed() {
    Seed seed;
    os_random_bytes(std::as_writable_bytes(std::span(seed)));
    return seed;
  }
  static constexpr std::size_t most_known = std::size_t{1} << 20;

  std::mutex mutex_;
  std::vector<circuit::Scalar>& values_;
  std::unordered_map<circuit::Scalar, std::uint32_t, Hash> known_;
};

/// What one worker has asked the table lately: direct-mapped, so that the lock is rarely taken.
class SparseRows::RecentValues {
 public:
  [[nodiscard]] std::uint32_t place_of(const circuit::Scalar& value, ValueTable& table) {
    Slot& slot = slots_[((value[0] ^ value[1] ^ value[2] ^ value[3]) * 0x9E3779B97F4A7C15) >> 52];
    if (!slot.is_used || slot.value != value) slot = {value, table.place_of(value), true};
    return slot.place;
  }

 private:
  struct Slot {
    circuit::Scalar value{};
    std::uint32_t place = 0;
    bool is_used = false;
  };
  std::vector<Slot> slots_{4096};
};

SparseRows::SparseRows(ThreadTeam& team, CurveId curve, UnalignedSpan<circuit::Coefficient> coefficients,
                       std::uint32_t rows)
    : rows_(rows),
      first_(2 * static_cast<std::size_t>(rows) + 2, 0),
      entries_(coefficients.size()),
      values_(units(curve)) {
  count_rows(team, coefficients);
  place_entries(team, coefficients);
  first_.pop_back();
}

/// Counts land two places up, so that the prefix sums are the write cursors and end as the rows' beginnings.
void SparseRows::count_rows(ThreadTeam& team, UnalignedSpan<circuit::Coefficient> coefficients) {
  team.for_ranges(coefficients.size(), coefficients_per_task, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = row_of(coefficients[i], rows_);
      std::atomic_ref(first_[row + 2]).fetch_add(1, std::memory_order_relaxed);
    }
  });
  for (std::size_t row = 1; row < first_.size(); ++row) first_[row] += first_[row - 1];
}

/// The order within a row is whoever comes first; sums do not depend on it.
void SparseRows::place_entries(ThreadTeam& team, UnalignedSpan<circuit::Coefficient> coefficients) {
  ValueTable table(values_);
  std::vector<RecentValues> recent(static_cast<std::size_t>(team.size()));
  const std::size_t tasks = (coefficients.size() + coefficients_per_task - 1) / coefficients_per_task;
  team.for_each(tasks, [&](std::size_t task, int worker) {
    RecentValues& mine = recent[static_cast<std::size_t>(worker)];
    const std::size_t end = std::min((task + 1) * coefficients_per_task, coefficients.size());
    for (std::size_t i = task * coefficients_per_task; i < end; ++i) {
      const circuit::Coefficient entry = coefficients[i];
      std::atomic_ref cursor(first_[row_of(entry, rows_) + 1]);
      entries_[cursor.fetch_add(1, std::memory_order_relaxed)] = {entry.signal,
                                                                  mine.place_of(value_of(entry), table)};
    }
  });
}

std::uint64_t SparseRows::size_bytes() const {
  return first_.size() * sizeof(std::uint32_t) + entries_.size() * sizeof(Entry) +
         values_.size() * sizeof(circuit::Scalar);
}

template <class Fr>
void SparseRows::multiply_piece(UnalignedSpan<circuit::Scalar> witness, std::size_t begin, std::size_t end,
                                std::span<Fr> a, std::span<Fr> b, std::array<EdgeRow<Fr>, 2>& edges) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), static_cast<std::uint32_t>(begin));
  std::size_t row = static_cast<std::size_t>(after - first_.begin()) - 1;
  for (std::size_t position = begin; position < end; ++row) {
    const std::size_t row_end = std::min<std::size_t>(first_[row + 1], end);
    Fr sum = Fr::zero(), plain = Fr::zero();
    for (std::size_t i = position; i < row_end; ++i) {
      const Entry entry = entries_[i];
      const circuit::Scalar scalar = witness[entry.signal];
      if ((scalar[0] | scalar[1] | scalar[2] | scalar[3]) == 0) continue;
      const Fr value = Fr::from_montgomery(scalar);
      if (entry.value == one)
        plain += value;
      else if (entry.value == minus_one)
        plain -= value;
      else
        sum += Fr::from_montgomery(values_[entry.value]) * value;
    }
    if (!plain.is_zero()) sum += Fr::from_montgomery(values_[one]) * plain;
    const bool cut_before = first_[row]<begin, cut_after = first_[row + 1]> end;
    if (cut_before || cut_after)
      edges[cut_before ? 0 : 1] = {static_cast<std::uint32_t>(row), sum};
    else
      (row < rows_ ? a[row] : b[row - rows_]) = sum;
    position = row_end;
  }
}

template <class Fr>
void SparseRows::multiply(ThreadTeam& team, UnalignedSpan<circuit::Scalar> witness, std::span<Fr> a,
                          std::span<Fr> b) const {
  team.for_ranges(rows_, 16384, [&](std::size_t begin, std::size_t end) {
    std::fill(a.begin() + static_cast<std::ptrdiff_t>(begin), a.begin() + static_cast<std::ptrdiff_t>(end),
              Fr::zero());
    std::fill(b.begin() + static_cast<std::ptrdiff_t>(begin), b.begin() + static_cast<std::ptrdiff_t>(end),
              Fr::zero());
  });
  const std::size_t tasks = (entries_.size() + entries_per_task - 1) / entries_per_task;
  std::vector<std::array<EdgeRow<Fr>, 2>> edges(tasks);
  team.for_each(tasks, [&](std::size_t task, int) {
    const std::size_t begin = task * entries_per_task;
    multiply_piece(witness, begin, std::min(begin + entries_per_task, entries_.size()), a, b, edges[task]);
  });
  for (const auto& pair : edges)
    for (const EdgeRow<Fr>& edge : pair) (edge.row < rows_ ? a[edge.row] : b[edge.row - rows_]) += edge.sum;
}

template void SparseRows::multiply(ThreadTeam&, UnalignedSpan<circuit::Scalar>, std::span<algebra::Bn254::Fr>,
                                   std::span<algebra::Bn254::Fr>) const;
template void SparseRows::multiply(ThreadTeam&, UnalignedSpan<circuit::Scalar>,
                                   std::span<algebra::Bls12_381::Fr>,
                                   std::span<algebra::Bls12_381::Fr>) const;

}  // namespace penstock::groth16
