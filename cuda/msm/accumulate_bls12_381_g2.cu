#include "common/algebra/bls12_381.hpp"
#include "cuda/msm/accumulate_launch.cuh"

namespace penstock::msm {

using Coordinate = algebra::Bls12_381::Fp2;
PENSTOCK_ACCUMULATE_INSTANCES(Coordinate);

}  // namespace penstock::msm
