// BLS12-381 (snarkjs's "bls12381"): data only. Source: Bowe 2017; draft-irtf-cfrg-pairing-friendly-curves.
// x = -0xd201000000010000, r = x⁴ - x² + 1, p = (x - 1)²·r/3 + x.
#pragma once

#include <cstdint>

#include "common/algebra/limbs.hpp"

namespace penstock::algebra {

struct Bls12381FpParams {
  static constexpr int limb_count = 6;
  static constexpr LimbArray<6> modulus = limbs::from_hex<6>(
      "0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab");
  static constexpr int two_adicity = 1;
  static constexpr std::uint64_t non_residue = 2;  // a generator of the 2-part of the group
  static constexpr unsigned tower_xi_c0 = 1;       // Fp2 = Fp[u]/(u²+1), Fp6 = Fp2[v]/(v³-(1+u))
};

struct Bls12381FrParams {
  static constexpr int limb_count = 4;
  static constexpr LimbArray<4> modulus =
      limbs::from_hex<4>("0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001");
  static constexpr int two_adicity = 32;
  static constexpr std::uint64_t non_residue = 5;  // snarkjs's; bellman, arkworks and blst use 7
};

struct Bls12381Params {
  using FpParams = Bls12381FpParams;
  using FrParams = Bls12381FrParams;
  static constexpr std::uint64_t x = 0xd201000000010000;
  static constexpr bool x_is_negative = true;
  static constexpr std::uint64_t g1_b = 4;  // y² = x³ + 4; the twist is y² = x³ + 4(1+u)

  static constexpr LimbArray<6> g1_x = limbs::from_hex<6>(
      "0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb");
  static constexpr LimbArray<6> g1_y = limbs::from_hex<6>(
      "0x08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1");
  static constexpr LimbArray<6> g2_x_c0 = limbs::from_hex<6>(
      "0x024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8");
  static constexpr LimbArray<6> g2_x_c1 = limbs::from_hex<6>(
      "0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e");
  static constexpr LimbArray<6> g2_y_c0 = limbs::from_hex<6>(
      "0x0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801");
  static constexpr LimbArray<6> g2_y_c1 = limbs::from_hex<6>(
      "0x0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be");
};

}  // namespace penstock::algebra
