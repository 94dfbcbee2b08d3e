#include "common/algebra/bls12_381.hpp"
#include "cuda/msm/reduce_launch.cuh"

namespace penstock::msm {

using Coordinate = algebra::Bls12_381::Fp;
PENSTOCK_REDUCE_INSTANCES(Coordinate);

}  // namespace penstock::msm
