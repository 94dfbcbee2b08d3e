// The circuit of the start-up check: sums times values, bits, a wire in no row; and its key, made on the
// host. Shape: 401 constraints, one public wire, a domain of 2^9. Ownership: the key's file is gone when
// create() returns; the key stays mapped. Errors: file_unwritable. Cost: a host setup of that size on one
// core.
#pragma once

#include <memory>
#include <vector>

#include "common/base/result.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/circuit/witness.hpp"

namespace penstock::cuda {

struct SmallCircuit {
  [[nodiscard]] static Result<SmallCircuit> create(CurveId curve);

  std::shared_ptr<const circuit::ProvingKey> key;
  std::vector<circuit::Scalar> wires;  ///< a witness that satisfies it; wire 1 is public
};

}  // namespace penstock::cuda
