// r and s that a test chooses. Only here: no shipped library can be told its randomness.
#pragma once

#include "common/groth16/blinding.hpp"

namespace penstock::groth16::testing {

class FixedBlindingSource final : public BlindingSource {
 public:
  FixedBlindingSource(const circuit::Scalar& r, const circuit::Scalar& s) : r_(r), s_(s) {}
  [[nodiscard]] Blinding draw(CurveId) override {
    Blinding blinding;
    blinding.r.reveal() = r_;
    blinding.s.reveal() = s_;
    return blinding;
  }

 private:
  circuit::Scalar r_, s_;
};

}  // namespace penstock::groth16::testing
