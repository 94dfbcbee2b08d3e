// BN254 (alt_bn128, snarkjs's "bn128"): data only. Source: EIP-196 and EIP-197; Barreto and Naehrig 2005.
// x = 4965661367192848881, p = 36x⁴ + 36x³ + 24x² + 6x + 1, r = 36x⁴ + 36x³ + 18x² + 6x + 1.
#pragma once

#include <cstdint>

#include "common/algebra/limbs.hpp"

namespace penstock::algebra {

struct Bn254FpParams {
  static constexpr int limb_count = 4;
  static constexpr LimbArray<4> modulus =
      limbs::from_hex<4>("0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47");
  static constexpr int two_adicity = 1;
  static constexpr std::uint64_t non_residue = 3;  // a generator of the 2-part of the group
  static constexpr unsigned tower_xi_c0 = 9;       // Fp2 = Fp[u]/(u²+1), Fp6 = Fp2[v]/(v³-(9+u))
};

struct Bn254FrParams {
  static constexpr int limb_count = 4;
  static constexpr LimbArray<4> modulus =
      limbs::from_hex<4>("0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001");
  static constexpr int two_adicity = 28;
  static constexpr std::uint64_t non_residue = 5;
};

struct Bn254Params {
  using FpParams = Bn254FpParams;
  using FrParams = Bn254FrParams;
  static constexpr std::uint64_t x = 0x44e992b44a6909f1;
  static constexpr bool x_is_negative = false;
  static constexpr std::uint64_t g1_b = 3;  // y² = x³ + 3; the twist is y² = x³ + 3/(9+u)

  static constexpr LimbArray<4> g1_x = limbs::from_hex<4>("0x1");
  static constexpr LimbArray<4> g1_y = limbs::from_hex<4>("0x2");
  static constexpr LimbArray<4> g2_x_c0 =
      limbs::from_hex<4>("0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed");
  static constexpr LimbArray<4> g2_x_c1 =
      limbs::from_hex<4>("0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2");
  static constexpr LimbArray<4> g2_y_c0 =
      limbs::from_hex<4>("0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa");
  static constexpr LimbArray<4> g2_y_c1 =
      limbs::from_hex<4>("0x90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b");
};

}  // namespace penstock::algebra
