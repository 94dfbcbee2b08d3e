#include "common/algebra/bn254.hpp"
#include "cuda/ntt/ntt_kernels.cuh"

namespace penstock::ntt {

using Fr = algebra::Bn254::Fr;
template void make_twiddles<Fr>(const cuda::Stream&, Fr*, int, const Fr&);
template void transform<Fr>(const cuda::Stream&, Transform, Fr*, const Fr*, int, int, Table);

}  // namespace penstock::ntt
