// Section 4 of a key as rows of A and of B, for A*w and B*w on the domain.
// Shape: CSR by a counting sort; an entry is a signal and the place of its value in a table: circuits have
// few distinct coefficients and most are 1 and -1, so 8 bytes stand for the file's 44. Unsorted and repeated
// entries are fine: repeats add up.
// Ownership: owns its rows; the key's coefficients are read once. Threads: immutable once built.
// Errors: none; indices were checked when the key was opened.
// Cost: building reads the table twice, on the whole team. multiply(): an addition for an entry of 1 or -1, a
// product for any other, whatever the rows' lengths; 8 bytes an entry, 8 a row, 32 a distinct value.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/base/large_vector.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {

class SparseRows {
 public:
  SparseRows(ThreadTeam& team, CurveId curve, UnalignedSpan<circuit::Coefficient> coefficients,
             std::uint32_t rows);

  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t size_bytes() const;

  /// a = A*w and b = B*w in Montgomery form. REQUIRES a.size() == b.size() == rows(), and a witness that
  /// every signal indexes; its values are plain and canonical.
  template <class Fr>
  void multiply(ThreadTeam& team, UnalignedSpan<circuit::Scalar> witness, std::span<Fr> a,
                std::span<Fr> b) const;

 private:
  static constexpr std::size_t entries_per_task = 8192;

  struct Entry {
    std::uint32_t signal, value;
  };
  class ValueTable;
  class RecentValues;

  void count_rows(ThreadTeam& team, UnalignedSpan<circuit::Coefficient> coefficients);
  void place_entries(ThreadTeam& team, UnalignedSpan<circuit::Coefficient> coefficients);
  template <class Fr>
  struct EdgeRow {  // a row cut by a task's border: its sum is added when all tasks are done
    std::uint32_t row = 0;
    Fr sum = Fr::zero();
  };
  template <class Fr>
  void multiply_piece(UnalignedSpan<circuit::Scalar> witness, std::size_t begin, std::size_t end,
                      std::span<Fr> a, std::span<Fr> b, std::array<EdgeRow<Fr>, 2>& edges) const;

  std::uint32_t rows_;
  LargeVector<std::uint32_t> first_;     // rows of A, then rows of B, then the end: 2 * rows + 1
  LargeVector<Entry> entries_;           // by row
  std::vector<circuit::Scalar> values_;  // n R^2 as in the key; [0] is 1, [1] is -1
};

extern template void SparseRows::multiply(ThreadTeam&, UnalignedSpan<circuit::Scalar>,
                                          std::span<algebra::Bn254::Fr>, std::span<algebra::Bn254::Fr>) const;
extern template void SparseRows::multiply(ThreadTeam&, UnalignedSpan<circuit::Scalar>,
                                          std::span<algebra::Bls12_381::Fr>,
                                          std::span<algebra::Bls12_381::Fr>) const;

}  // namespace penstock::groth16
