#include "common/groth16/setup_key.hpp"

namespace penstock::groth16 {

template Result<circuit::AnyVerificationKey> setup_key<algebra::Bls12_381>(
    const circuit::R1cs&, const std::filesystem::path&, const SetupDomain<algebra::Bls12_381::Fr>&,
    const SetupOptions&, const ScalarSource&);

}  // namespace penstock::groth16
