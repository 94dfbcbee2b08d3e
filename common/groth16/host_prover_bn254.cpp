#include "common/groth16/host_prover_steps.hpp"

template class penstock::groth16::HostProver<penstock::algebra::Bn254>;
