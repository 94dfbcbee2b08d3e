// The benchmark's circuit: a chain of squarings x -> x^2 + c of about 2^log2 constraints, as an .r1cs file
// and its witness; in a boolean-heavy one 98 % of the constraints are bits, b * b = b. B is dense: real G2
// work. Ownership: the temporary folder is removed on destruction. Errors: file_unwritable.
#pragma once

#include <filesystem>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/base/result.hpp"
#include "common/circuit/proof.hpp"
#include "common/circuit/witness.hpp"

namespace penstock::cli::bench {

enum class Mix : std::uint8_t { full_width, boolean_heavy };

class Squarings {
 public:
  [[nodiscard]] static Result<Squarings> create(CurveId curve, int log2, Mix mix);
  Squarings(Squarings&& other) noexcept;
  Squarings& operator=(Squarings&&) = delete;
  ~Squarings();

  [[nodiscard]] std::filesystem::path r1cs() const { return folder_ / "squarings.r1cs"; }
  [[nodiscard]] std::filesystem::path key() const { return folder_ / "squarings.zkey"; }
  [[nodiscard]] circuit::WitnessView witness() const {
    return {curve_, std::span<const circuit::Scalar>(values_)};
  }

 private:
  Squarings() = default;
  CurveId curve_ = CurveId::bn254;
  std::filesystem::path folder_;
  std::vector<circuit::Scalar> values_;
};

}  // namespace penstock::cli::bench
