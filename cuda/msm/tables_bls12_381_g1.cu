#include "common/algebra/bls12_381.hpp"
#include "cuda/msm/tables_launch.cuh"

namespace penstock::msm {

using Coordinate = algebra::Bls12_381::Fp;
PENSTOCK_TABLE_INSTANCES(Coordinate);

}  // namespace penstock::msm
