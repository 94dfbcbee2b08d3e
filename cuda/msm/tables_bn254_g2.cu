#include "common/algebra/bn254.hpp"
#include "cuda/msm/tables_launch.cuh"

namespace penstock::msm {

using Coordinate = algebra::Bn254::Fp2;
PENSTOCK_TABLE_INSTANCES(Coordinate);

}  // namespace penstock::msm
