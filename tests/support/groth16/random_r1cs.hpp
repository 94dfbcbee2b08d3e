// R1CS files with a satisfying witness, of any shape: what setup, prove and verify are tried on.
// Shape: every constraint is (linear combination) * (linear combination) = one fresh wire, or one that is
// overwritten when
//   no wire is left: then C carries a correction on the constant wire, so that any shape is satisfiable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

#include "common/base/curve_id.hpp"
#include "common/circuit/proof.hpp"

namespace penstock::groth16::testing {

enum class WitnessKind { full_width, mostly_bits };

struct R1csRecipe {
  CurveId curve = CurveId::bn254;
  std::uint32_t constraints = 1, outputs = 0, public_inputs = 0, private_inputs = 1, internal = 0;
  std::uint32_t terms = 3;  ///< up to this many per linear combination; 0: B is constant (a linear circuit)
  WitnessKind witness = WitnessKind::full_width;
  std::uint64_t seed = 1;
  [[nodiscard]] std::uint32_t publics() const { return outputs + public_inputs; }
  [[nodiscard]] std::uint32_t wires() const { return 1 + publics() + private_inputs + internal; }
};

/// Writes the .r1cs file; returns the witness that satisfies it.
[[nodiscard]] std::vector<circuit::Scalar> write_random_r1cs(const R1csRecipe& recipe,
                                                             const std::filesystem::path& path);

/// x_{i+1} = x_i (x_i + 1), `constraints` times, from a full-width x_0; one output.
[[nodiscard]] std::vector<circuit::Scalar> write_chain_r1cs(CurveId curve, std::uint32_t constraints,
                                                            const std::filesystem::path& path);

/// A uniform scalar below r.
[[nodiscard]] circuit::Scalar random_scalar(CurveId curve, std::mt19937_64& random);

}  // namespace penstock::groth16::testing
