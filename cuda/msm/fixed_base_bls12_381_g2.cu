#include "common/algebra/bls12_381.hpp"
#include "cuda/msm/fixed_base.cuh"

namespace penstock::msm {

using Scalars = algebra::Bls12_381::Fr;
using Coordinate = algebra::Bls12_381::Fp2;
PENSTOCK_FIXED_BASE_INSTANCES(Scalars, Coordinate);

}  // namespace penstock::msm
