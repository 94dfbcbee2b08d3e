#include "common/groth16/sparse_rows.hpp"

#include <algorithm>

namespace penstock::groth16 {
namespace {

std::size_t row_of(const circuit::Coefficient& entry, std::uint32_t rows) {
  return static_cast<std::size_t>(entry.matrix) * rows + entry.constraint;
}

circuit::Scalar value_of(const circuit::Coefficient& entry) {  // packed: its limbs have no aligned address
  return {entry.value[0], entry.value[1], entry.value[2], entry.value[3]};
}

}  // namespace

SparseRows::SparseRows(UnalignedSpan<circuit::Coefficient> coefficients, std::uint32_t rows)
    : coefficients_(coefficients),
      rows_(rows),
      first_(2 * static_cast<std::size_t>(rows) + 2),
      entries_(coefficients.size()) {
  // Counts land two places up, so that the prefix sums are the write cursors and end as the rows' beginnings.
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const std::size_t row = row_of(coefficients[i], rows);
    if (row + 2 < first_.size()) ++first_[row + 2];
  }
  for (std::size_t row = 1; row < first_.size(); ++row) first_[row] += first_[row - 1];
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    entries_[first_[row_of(coefficients[i], rows) + 1]++] = static_cast<std::uint32_t>(i);
  first_.pop_back();
}

std::uint64_t SparseRows::size_bytes() const {
  return (first_.size() + entries_.size()) * sizeof(std::uint32_t);
}

template <class Fr>
void SparseRows::multiply_piece(UnalignedSpan<circuit::Scalar> witness, std::size_t begin, std::size_t end,
                                std::span<Fr> a, std::span<Fr> b, std::array<EdgeRow<Fr>, 2>& edges) const {
  const auto after = std::upper_bound(first_.begin(), first_.end(), static_cast<std::uint32_t>(begin));
  std::size_t row = static_cast<std::size_t>(after - first_.begin()) - 1;
  for (std::size_t position = begin; position < end; ++row) {
    const std::size_t row_end = std::min<std::size_t>(first_[row + 1], end);
    Fr sum = Fr::zero();
    for (std::size_t i = position; i < row_end; ++i) {
      const circuit::Coefficient entry = coefficients_[entries_[i]];
      const circuit::Scalar value = witness[entry.signal];
      if ((value[0] | value[1] | value[2] | value[3]) == 0) continue;
      sum += Fr::from_montgomery(value_of(entry)) * Fr::from_montgomery(value);
    }
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
