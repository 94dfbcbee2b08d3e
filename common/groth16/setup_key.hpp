// The points of a development key and its file, for one curve. Definitions; compiled once per curve
// (setup_bn254.cpp, setup_bls12_381.cpp). The contract is setup.hpp's.
#pragma once

#include <optional>
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

template <class Fr>
Trapdoor<Fr> draw_trapdoor(const SetupDomain<Fr>& domain, const ScalarSource& draw) {
  Trapdoor<Fr> trapdoor;
  do {
    for (Fr* secret : {&trapdoor.tau, &trapdoor.alpha, &trapdoor.beta, &trapdoor.gamma, &trapdoor.delta})
      *secret = Fr::from_limbs(draw());
  } while (!is_usable(trapdoor, domain));
  return trapdoor;
}

/// Multiples of one generator, by the options' multiplier or by the host's table, which is made at its first
/// use.
template <class Fr, class Point>
class Multiples {
 public:
  Multiples(ThreadTeam& team, const Point& generator, PointMultiplier* multiplier)
      : team_(team), generator_(generator), multiplier_(multiplier) {}
  [[nodiscard]] Status multiply(std::span<const Fr> scalars, std::span<Point> points) {
    if (multiplier_ != nullptr) return multiplier_->multiply(scalars, points);
    if (!table_) table_.emplace(team_, generator_);
    table_->multiply(team_, scalars, points);
    return {};
  }
  [[nodiscard]] Result<std::vector<Point>> of(const std::vector<Fr>& scalars) {
    std::vector<Point> points(scalars.size());
    PENSTOCK_TRY(multiply(scalars, points));
    return points;
  }
  /// A section whose points are made when the file is written; reports its name and fraction then.
  [[nodiscard]] circuit::PointSection<Point> section(const std::vector<Fr>& scalars, const char* name,
                                                     double fraction, const SetupOptions& options) {
    return {scalars.size(),
            [this, &scalars, &options, name, fraction](std::size_t begin, std::span<Point> out) {
              if (begin == 0 && options.progress) options.progress(name, fraction);
              return multiply(std::span(scalars).subspan(begin, out.size()), out);
            }};
  }

 private:
  ThreadTeam& team_;
  Point generator_;
  PointMultiplier* multiplier_;
  std::optional<FixedBase<Fr, Point>> table_;
};

template <class C>
Result<circuit::AnyVerificationKey> setup_key(const circuit::R1cs& r1cs,
                                              const std::filesystem::path& key_path,
                                              const SetupDomain<typename C::Fr>& domain,
                                              const SetupOptions& options, const ScalarSource& draw) {
  using Fr = typename C::Fr;
  ThreadTeam team(options.threads);
  if (options.progress) options.progress("scalars", 0);
  const Trapdoor<Fr> trapdoor = draw_trapdoor(domain, draw);
  const SetupScalars<Fr> scalars = setup_scalars(team, r1cs, trapdoor, domain);
  const std::vector<circuit::Coefficient> coefficients = setup_coefficients<Fr>(r1cs);
  Multiples<Fr, typename C::G1> g1(team, C::g1_generator(), options.multiplier);
  Multiples<Fr, typename C::G2> g2(team, C::g2_generator(), options.multiplier);
  const auto single = PENSTOCK_TRY(g1.of({trapdoor.alpha, trapdoor.beta, trapdoor.delta}));
  const auto single2 = PENSTOCK_TRY(g2.of({trapdoor.beta, trapdoor.gamma, trapdoor.delta}));
  const auto ic = PENSTOCK_TRY(g1.of(scalars.ic));
  circuit::NewKey<C> key;
  key.shape = {C::id, r1cs.shape().wires, r1cs.shape().publics(), std::uint32_t{1} << domain.log2,
               domain.log2};
  key.alpha1 = single[0];
  key.beta1 = single[1];
  key.delta1 = single[2];
  key.beta2 = single2[0];
  key.gamma2 = single2[1];
  key.delta2 = single2[2];
  key.ic = ic;
  key.h = g1.section(scalars.h, "H", 0.2, options);
  key.c = g1.section(scalars.c, "C", 0.35, options);
  key.a = g1.section(scalars.a, "A", 0.5, options);
  key.b1 = g1.section(scalars.b, "B1", 0.65, options);
  key.b2 = g2.section(scalars.b, "B2", 0.8, options);
  key.coefficients = coefficients;
  PENSTOCK_TRY(circuit::write_insecure_dev_key(key_path, key));
  return circuit::AnyVerificationKey(
      circuit::VerificationKey<C>{key.alpha1, key.beta2, key.gamma2, key.delta2, ic});
}

extern template Result<circuit::AnyVerificationKey> setup_key<algebra::Bn254>(
    const circuit::R1cs&, const std::filesystem::path&, const SetupDomain<algebra::Bn254::Fr>&,
    const SetupOptions&, const ScalarSource&);
extern template Result<circuit::AnyVerificationKey> setup_key<algebra::Bls12_381>(
    const circuit::R1cs&, const std::filesystem::path&, const SetupDomain<algebra::Bls12_381::Fr>&,
    const SetupOptions&, const ScalarSource&);

}  // namespace penstock::groth16
