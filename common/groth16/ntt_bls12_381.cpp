#include "common/groth16/ntt.hpp"

template class penstock::groth16::NttDomain<penstock::algebra::Bls12_381::Fr>;
