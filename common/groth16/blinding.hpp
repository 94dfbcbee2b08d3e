// The prover's randomness r, s: uniform in the scalar field, from the operating system. A fixed-seed source
// exists only in tests/support.
#pragma once

#include "common/base/curve_id.hpp"
#include "common/base/result.hpp"
#include "common/base/sensitive.hpp"
#include "common/circuit/proof.hpp"

namespace penstock::groth16 {

struct Blinding {
  Sensitive<circuit::Scalar> r, s;  ///< plain, canonical
};

class BlindingSource {
 public:
  virtual ~BlindingSource() = default;
  [[nodiscard]] virtual Blinding draw(CurveId curve) = 0;
};

/// getrandom(2) with rejection. Threads: any.
class OsBlindingSource final : public BlindingSource {
 public:
  [[nodiscard]] Blinding draw(CurveId curve) override;
};

}  // namespace penstock::groth16
