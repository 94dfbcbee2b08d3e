// The points of a development key and its file, for one curve. Definitions; compiled once per curve
// (setup_bn254.cpp, setup_bls12_381.cpp). The contract is setup.hpp's.
#pragma once

#include <string>

#include "common/circuit/zkey_writer.hpp"
#include "common/groth16/fixed_base.hpp"
#include "common/groth16/setup.hpp"
#include "common/groth16/setup_scalars.hpp"

namespace penstock::groth16 {

/// Draws scalars: from the OS, or from a seed (counted SplitMix64: these keys are insecure by name).
using ScalarSource = std::function<circuit::Scalar()>;

/// setup_insecure_dev() for one curve, with the domain's roots as an argument. REQUIRES a domain that holds
/// the rows.
template <class C>
[[nodiscard]] Result<circuit::AnyVerificationKey> setup_key(const circuit::R1cs& r1cs,
                                                            const std::filesystem::path& key_path,
                                                            const SetupDomain<typename C::Fr>& domain,
                                                            const SetupOptions& options,
                                                            const ScalarSource& draw);

template <class C>
struct KeyPoints {
  std::vector<typename C::G1> a, b1, c, h, ic, single;  // single: alpha, beta, delta
  std::vector<typename C::G2> b2, single2;              // single2: beta, gamma, delta
};

template <class Fr>
Trapdoor<Fr> draw_trapdoor(const SetupDomain<Fr>& domain, const ScalarSource& draw) {
  Trapdoor<Fr> trapdoor;
  do {
    for (Fr* secret : {&trapdoor.tau, &trapdoor.alpha, &trapdoor.beta, &trapdoor.gamma, &trapdoor.delta})
      *secret = Fr::from_limbs(draw());
  } while (!is_usable(trapdoor, domain));
  return trapdoor;
}

template <class C>
KeyPoints<C> key_points(ThreadTeam& team, const Trapdoor<typename C::Fr>& trapdoor,
                        const SetupScalars<typename C::Fr>& scalars, const SetupOptions& options) {
  using Fr = typename C::Fr;
  KeyPoints<C> points;
  const FixedBase<Fr, typename C::G1> g1(team, C::g1_generator());
  const FixedBase<Fr, typename C::G2> g2(team, C::g2_generator());
  const auto fill = [&](const auto& base, const std::vector<Fr>& of, auto& out) {
    out.resize(of.size());
    base.multiply(team, of, out);
  };
  int step = 0;
  const auto report = [&](const char* name) {
    if (options.progress) options.progress(name, static_cast<double>(step++) / 5.0);
  };
  report("A");
  fill(g1, scalars.a, points.a);
  report("B1");
  fill(g1, scalars.b, points.b1);
  report("B2");
  fill(g2, scalars.b, points.b2);
  report("C");
  fill(g1, scalars.c, points.c);
  fill(g1, scalars.ic, points.ic);
  report("H");
  fill(g1, scalars.h, points.h);
  report("write");
  fill(g1, {trapdoor.alpha, trapdoor.beta, trapdoor.delta}, points.single);
  fill(g2, {trapdoor.beta, trapdoor.gamma, trapdoor.delta}, points.single2);
  return points;
}

template <class C>
Result<circuit::AnyVerificationKey> setup_key(const circuit::R1cs& r1cs,
                                              const std::filesystem::path& key_path,
                                              const SetupDomain<typename C::Fr>& domain,
                                              const SetupOptions& options, const ScalarSource& draw) {
  using Fr = typename C::Fr;
  ThreadTeam team(options.threads);
  circuit::NewKey<C> key;
  const Trapdoor<Fr> trapdoor = draw_trapdoor(domain, draw);
  const KeyPoints<C> points =
      key_points<C>(team, trapdoor, setup_scalars(team, r1cs, trapdoor, domain), options);
  const std::vector<circuit::Coefficient> coefficients = setup_coefficients<Fr>(r1cs);
  key.shape = {C::id, r1cs.shape().wires, r1cs.shape().publics(), std::uint32_t{1} << domain.log2,
               domain.log2};
  key.alpha1 = points.single[0];
  key.beta1 = points.single[1];
  key.delta1 = points.single[2];
  key.beta2 = points.single2[0];
  key.gamma2 = points.single2[1];
  key.delta2 = points.single2[2];
  key.ic = points.ic;
  key.a = points.a;
  key.b1 = points.b1;
  key.b2 = points.b2;
  key.c = points.c;
  key.h = points.h;
  key.coefficients = coefficients;
  PENSTOCK_TRY(circuit::write_insecure_dev_key(key_path, key));
  return circuit::AnyVerificationKey(
      circuit::VerificationKey<C>{key.alpha1, key.beta2, key.gamma2, key.delta2, points.ic});
}

extern template Result<circuit::AnyVerificationKey> setup_key<algebra::Bn254>(
    const circuit::R1cs&, const std::filesystem::path&, const SetupDomain<algebra::Bn254::Fr>&,
    const SetupOptions&, const ScalarSource&);
extern template Result<circuit::AnyVerificationKey> setup_key<algebra::Bls12_381>(
    const circuit::R1cs&, const std::filesystem::path&, const SetupDomain<algebra::Bls12_381::Fr>&,
    const SetupOptions&, const ScalarSource&);

}  // namespace penstock::groth16
