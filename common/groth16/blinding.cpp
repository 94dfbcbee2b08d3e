#include "common/groth16/blinding.hpp"

#include "common/groth16/random_scalar.hpp"

namespace penstock::groth16 {

Blinding OsBlindingSource::draw(CurveId curve) {
  const ScalarSampler sampler(curve);
  Blinding blinding;
  blinding.r.reveal() = sampler.draw(os_random_bytes);
  blinding.s.reveal() = sampler.draw(os_random_bytes);
  return blinding;
}

}  // namespace penstock::groth16
