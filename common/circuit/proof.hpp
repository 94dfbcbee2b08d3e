// A Groth16 proof, its public signals and the key that verifies them, in memory.
// Shape: affine points in Montgomery form; public signals plain (not Montgomery), canonical.
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "common/algebra/curves.hpp"
#include "common/base/curve_id.hpp"

namespace penstock::circuit {

template <class C>
struct Proof {
  typename C::G1 a;
  typename C::G2 b;
  typename C::G1 c;
};

template <class C>
struct VerificationKey {
  typename C::G1 alpha1;
  typename C::G2 beta2, gamma2, delta2;
  std::vector<typename C::G1> ic;  ///< public signals + 1
};

/// A scalar as a plain integer, 4 limbs of 64 bits, little endian; both scalar fields are 255 bits or less.
using Scalar = std::array<std::uint64_t, 4>;

using AnyProof = std::variant<Proof<algebra::Bn254>, Proof<algebra::Bls12_381>>;
using AnyVerificationKey = std::variant<VerificationKey<algebra::Bn254>, VerificationKey<algebra::Bls12_381>>;
using PublicSignals = std::vector<Scalar>;

// The variants' order is CurveId's.
[[nodiscard]] inline CurveId curve_of(const AnyProof& proof) {
  return static_cast<CurveId>(proof.index());
}
[[nodiscard]] inline CurveId curve_of(const AnyVerificationKey& key) {
  return static_cast<CurveId>(key.index());
}

}  // namespace penstock::circuit
