#include "common/algebra/bn254.hpp"
#include "cuda/msm/msm_launch.cuh"

namespace penstock::msm {

using Coordinate = algebra::Bn254::Fp;
PENSTOCK_MSM_INSTANCES(Coordinate);

}  // namespace penstock::msm
