#include "common/groth16/msm_workspace.hpp"

template class penstock::groth16::MsmWorkspace<penstock::algebra::Bls12_381::G1>;
