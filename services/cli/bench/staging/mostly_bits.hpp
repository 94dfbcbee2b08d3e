// The circuit of the staging benchmark: 98 % of its wires are booleans, as in the circuits of the founding
// story; the others, at random places, are a chain of squarings of full width.
// Shape: n = 2^log2 - 2 constraints, b·b = b or x·x = x' - c; wires: 1, the chain's end (public), then one a
// constraint's left side. Rows of A·w and B·w are single wires, so that evaluated partitions cost a copy.
// Ownership: the temporary folder is removed on destruction. Errors: file_unwritable.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/base/result.hpp"
#include "common/circuit/proof.hpp"
#include "common/circuit/witness.hpp"

namespace penstock::cli::bench {

class MostlyBits {
 public:
  /// REQUIRES 3 <= log2 <= 28.
  [[nodiscard]] static Result<MostlyBits> create(CurveId curve, int log2);
  MostlyBits(MostlyBits&& other) noexcept;
  MostlyBits& operator=(MostlyBits&&) = delete;
  ~MostlyBits();

  [[nodiscard]] CurveId curve() const { return curve_; }
  [[nodiscard]] std::filesystem::path r1cs() const { return folder_ / "bits.r1cs"; }
  [[nodiscard]] std::filesystem::path key() const { return folder_ / "bits.zkey"; }
  [[nodiscard]] std::size_t wires() const { return wide_.size() + 2; }
  [[nodiscard]] std::size_t domain_size() const { return std::size_t{1} << log2_; }

  /// A satisfying witness; each variant has its own values.
  [[nodiscard]] std::vector<circuit::Scalar> witness(std::uint64_t variant) const;
  /// a and b on the domain: `rows` holds 2 · domain_size values.
  void evaluate(std::span<const circuit::Scalar> witness, std::span<circuit::Scalar> rows) const;

 private:
  MostlyBits() = default;
  [[nodiscard]] Status write_r1cs() const;
  CurveId curve_ = CurveId::bn254;
  int log2_ = 0;
  std::filesystem::path folder_;
  std::vector<bool> wide_;  ///< by constraint: a step of the chain
};

}  // namespace penstock::cli::bench
