#include "common/algebra/bn254.hpp"
#include "cuda/msm/fixed_base.cuh"

namespace penstock::msm {

using Scalars = algebra::Bn254::Fr;
using Coordinate = algebra::Bn254::Fp2;
PENSTOCK_FIXED_BASE_INSTANCES(Scalars, Coordinate);

}  // namespace penstock::msm
