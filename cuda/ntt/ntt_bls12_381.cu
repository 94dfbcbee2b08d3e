#include "common/algebra/bls12_381.hpp"
#include "cuda/ntt/ntt_kernels.cuh"

namespace penstock::ntt {

using Fr = algebra::Bls12_381::Fr;
template void make_twiddles<Fr>(const cuda::Stream&, Fr*, int, const Fr&);
template void transform<Fr>(const cuda::Stream&, Transform, Fr*, const Fr*, int, int, Table);

}  // namespace penstock::ntt
