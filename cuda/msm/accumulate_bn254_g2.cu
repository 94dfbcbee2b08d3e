#include "common/algebra/bn254.hpp"
#include "cuda/msm/accumulate_launch.cuh"

namespace penstock::msm {

using Coordinate = algebra::Bn254::Fp2;
PENSTOCK_ACCUMULATE_INSTANCES(Coordinate);

}  // namespace penstock::msm
