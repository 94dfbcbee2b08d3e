#include "tests/unit/groth16/msm_cases.hpp"

namespace penstock::groth16::testing {

using Groups = ::testing::Types<Group<algebra::Bn254, algebra::Bn254::G2>,
                                Group<algebra::Bls12_381, algebra::Bls12_381::G2>>;
INSTANTIATE_TYPED_TEST_SUITE_P(G2, Msm, Groups);

}  // namespace penstock::groth16::testing
