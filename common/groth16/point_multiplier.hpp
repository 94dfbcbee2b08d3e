// Many multiples of the curves' generators: where the points of a development key come from when a device
// makes them. Ownership: the caller's spans. Threads: one call at a time. Errors: the device's
// (out_of_memory, …).
#pragma once

#include <span>

#include "common/algebra/curves.hpp"
#include "common/base/result.hpp"

namespace penstock::groth16 {

class PointMultiplier {
 public:
  virtual ~PointMultiplier() = default;
  /// points[i] = scalars[i]·generator of the points' group. REQUIRES equal sizes.
  [[nodiscard]] virtual Status multiply(std::span<const algebra::Bn254::Fr> scalars,
                                        std::span<algebra::Bn254::G1> points) = 0;
  [[nodiscard]] virtual Status multiply(std::span<const algebra::Bn254::Fr> scalars,
                                        std::span<algebra::Bn254::G2> points) = 0;
  [[nodiscard]] virtual Status multiply(std::span<const algebra::Bls12_381::Fr> scalars,
                                        std::span<algebra::Bls12_381::G1> points) = 0;
  [[nodiscard]] virtual Status multiply(std::span<const algebra::Bls12_381::Fr> scalars,
                                        std::span<algebra::Bls12_381::G2> points) = 0;
};

}  // namespace penstock::groth16
