// Section 4 of a key as rows: which coefficients make up row i of A and of B, for A*w and B*w on the domain.
// Shape: CSR by a counting sort; a row's entries are positions in the key's own (mapped) coefficient table,
// so no value is
//   copied: 4 bytes an entry and 8 a row. Unsorted and repeated entries are fine: repeats add up.
// Ownership: views the key's coefficients, which must outlive it. Threads: immutable once built.
// Errors: none; indices were checked when the key was opened.
// Cost: building reads the table twice; multiply() is one product an entry, whatever the rows' lengths.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {

class SparseRows {
 public:
  SparseRows(UnalignedSpan<circuit::Coefficient> coefficients, std::uint32_t rows);

  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t size_bytes() const;

  /// a = A*w and b = B*w in Montgomery form. REQUIRES a.size() == b.size() == rows(), and a witness that
  /// every signal indexes; its values are plain and canonical.
  template <class Fr>
  void multiply(ThreadTeam& team, UnalignedSpan<circuit::Scalar> witness, std::span<Fr> a,
                std::span<Fr> b) const;

 private:
  static constexpr std::size_t entries_per_task = 8192;

  template <class Fr>
  struct EdgeRow {  // a row cut by a task's border: its sum is added when all tasks are done
    std::uint32_t row = 0;
    Fr sum = Fr::zero();
  };
  template <class Fr>
  void multiply_piece(UnalignedSpan<circuit::Scalar> witness, std::size_t begin, std::size_t end,
                      std::span<Fr> a, std::span<Fr> b, std::array<EdgeRow<Fr>, 2>& edges) const;

  UnalignedSpan<circuit::Coefficient> coefficients_;
  std::uint32_t rows_;
  std::vector<std::uint32_t> first_;    // rows of A, then rows of B, then the end: 2 * rows + 1
  std::vector<std::uint32_t> entries_;  // positions in coefficients_, by row
};

extern template void SparseRows::multiply(ThreadTeam&, UnalignedSpan<circuit::Scalar>,
                                          std::span<algebra::Bn254::Fr>, std::span<algebra::Bn254::Fr>) const;
extern template void SparseRows::multiply(ThreadTeam&, UnalignedSpan<circuit::Scalar>,
                                          std::span<algebra::Bls12_381::Fr>,
                                          std::span<algebra::Bls12_381::Fr>) const;

}  // namespace penstock::groth16
