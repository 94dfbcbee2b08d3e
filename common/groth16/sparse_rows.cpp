#include "common/groth16/sparse_rows.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

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

/// Finds a value's place. Direct-mapped: a value that has lost its slot is listed again, so that no choice of
/// values makes the search long.
class SparseRows::ValueTable {
 public:
  ValueTable(std::vector<circuit::Scalar>& values, std::mutex& mutex) : values_(values), mutex_(mutex) {
    keep(values[one], one);
    keep(values[minus_one], minus_one);
  }
  [[nodiscard]] std::uint32_t place_of(const circuit::Scalar& value) {
    const Slot& slot = slots_[slot_of(value)];
    if (slot.is_used && slot.value == value) return slot.place;
    const std::lock_guard lock(mutex_);
    values_.push_back(value);
    return keep(value, static_cast<std::uint32_t>(values_.size() - 1));
  }

 private:
  struct Slot {
    circuit::Scalar value{};
    std::uint32_t place = 0;
    bool is_used = false;
  };
  static constexpr std::size_t slot_count = 4096;
  static std::size_t slot_of(const circuit::Scalar& value) {
    return ((value[0] ^ value[1] ^ value[2] ^ value[3]) * 0x9E3779B97F4A7C15) >> 52;
  }
  std::uint32_t keep(const circuit::Scalar& value, std::uint32_t place) {
    slots_[slot_of(value)] = {value, place, true};
    return place;
  }

  std::vector<circuit::Scalar>& values_;
  std::mutex& mutex_;
  std::vector<Slot> slots_{slot_count};
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
      if (row + 2 < first_.size()) std::atomic_ref(first_[row + 2]).fetch_add(1, std::memory_order_relaxed);
    }
  });
  for (std::size_t row = 1; row < first_.size(); ++row) first_[row] += first_[row - 1];
}

/// The order within a row is whoever comes first; sums do not depend on it.
void SparseRows::place_entries(ThreadTeam& team, UnalignedSpan<circuit::Coefficient> coefficients) {
  std::mutex mutex;
  team.for_ranges(coefficients.size(), coefficients_per_task, [&](std::size_t begin, std::size_t end) {
    ValueTable table(values_, mutex);
    for (std::size_t i = begin; i < end; ++i) {
      const circuit::Coefficient entry = coefficients[i];
      std::atomic_ref cursor(first_[row_of(entry, rows_) + 1]);
      entries_[cursor.fetch_add(1, std::memory_order_relaxed)] = {entry.signal,
                                                                  table.place_of(value_of(entry))};
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
