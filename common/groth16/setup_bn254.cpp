#include "common/groth16/setup_key.hpp"

namespace penstock::groth16 {

template Result<circuit::AnyVerificationKey> setup_key<algebra::Bn254>(const circuit::R1cs&,
                                                                       const std::filesystem::path&,
                                                                       const SetupDomain<algebra::Bn254::Fr>&,
                                                                       const SetupOptions&,
                                                                       const ScalarSource&);

}  // namespace penstock::groth16
