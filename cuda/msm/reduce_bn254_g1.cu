#include "common/algebra/bn254.hpp"
#include "cuda/msm/reduce_launch.cuh"

namespace penstock::msm {

using Coordinate = algebra::Bn254::Fp;
PENSTOCK_REDUCE_INSTANCES(Coordinate);

}  // namespace penstock::msm
