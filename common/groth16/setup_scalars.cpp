#include "common/groth16/setup_scalars.hpp"

#include <algorithm>
#include <cstring>

#include "common/algebra/curves.hpp"
#include "common/groth16/lagrange.hpp"

namespace penstock::groth16 {
namespace {

using circuit::LinearCombination;

circuit::Scalar coefficient_of(const LinearCombination::Term& term) {
  circuit::Scalar value;
  std::memcpy(value.data(), &term.coefficient, sizeof value);
  return value;
}

enum class Matrix { a, b, c };

const LinearCombination& row_of(const circuit::Constraint& constraint, Matrix matrix) {
  return matrix == Matrix::a ? constraint.a : matrix == Matrix::b ? constraint.b : constraint.c;
}

/// Per wire: sum over the constraints of coefficient * l_constraint(tau).
template <class Fr>
std::vector<Fr> wire_polynomials(const circuit::R1cs& r1cs, const std::vector<Fr>& lagrange, Matrix matrix) {
  std::vector<Fr> sums(r1cs.shape().wires, Fr::zero());
  for (std::uint32_t row = 0; row < r1cs.shape().constraints; ++row) {
    const circuit::Constraint constraint = r1cs.constraint(row);
    const auto& terms = row_of(constraint, matrix).terms;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const LinearCombination::Term term = terms[i];
      sums[term.wire] += Fr::from_limbs(coefficient_of(term)) * lagrange[row];
    }
  }
  if (matrix == Matrix::a)  // the rows that tie the public wires down
    for (std::uint32_t wire = 0; wire <= r1cs.shape().publics(); ++wire)
      sums[wire] += lagrange[r1cs.shape().constraints + wire];
  return sums;
}

template <class Fr>
Fr power_of_two_power(Fr value, int log2) {
  for (int i = 0; i < log2; ++i) value = value.square();
  return value;
}

/// H[i] = l_i(tau / g) (tau^N - 1) / ((g^N - 1) delta): l_i of the coset g <w> at tau.
template <class Fr>
std::vector<Fr> quotient_scalars(ThreadTeam& team, const Trapdoor<Fr>& trapdoor,
                                 const SetupDomain<Fr>& domain) {
  std::vector<Fr> h =
      lagrange_at(team, domain.log2, domain.root, trapdoor.tau * domain.coset_shift.inverse());
  const Fr vanishing = power_of_two_power(trapdoor.tau, domain.log2) - Fr::one();
  const Fr on_coset = power_of_two_power(domain.coset_shift, domain.log2) - Fr::one();
  const Fr scale = vanishing * (on_coset * trapdoor.delta).inverse();
  team.for_ranges(h.size(), 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) h[i] *= scale;
  });
  return h;
}

circuit::Coefficient coefficient(std::uint32_t matrix, std::uint32_t row, std::uint32_t signal,
                                 const circuit::Scalar& value) {
  return {matrix, row, signal, {value[0], value[1], value[2], value[3]}};
}

}  // namespace

int setup_domain_log2(const circuit::R1csShape& shape) {
  const std::uint64_t rows = std::uint64_t{shape.constraints} + shape.publics() + 1;
  int log2 = 1;
  while ((std::uint64_t{1} << log2) < rows) ++log2;
  return log2;
}

template <class Fr>
bool is_usable(const Trapdoor<Fr>& trapdoor, const SetupDomain<Fr>& domain) {
  const Fr in_domain = power_of_two_power(trapdoor.tau, domain.log2);
  const Fr in_coset = power_of_two_power(trapdoor.tau * domain.coset_shift.inverse(), domain.log2);
  return !in_domain.is_one() && !in_coset.is_one() && !trapdoor.tau.is_zero() && !trapdoor.alpha.is_zero() &&
         !trapdoor.beta.is_zero() && !trapdoor.gamma.is_zero() && !trapdoor.delta.is_zero();
}

template <class Fr>
SetupScalars<Fr> setup_scalars(ThreadTeam& team, const circuit::R1cs& r1cs, const Trapdoor<Fr>& trapdoor,
                               const SetupDomain<Fr>& domain) {
  SetupScalars<Fr> scalars;
  const std::vector<Fr> lagrange = lagrange_at(team, domain.log2, domain.root, trapdoor.tau);
  std::vector<Fr> products;
  team.for_each(3, [&](std::size_t matrix, int) {
    std::vector<Fr>& out = matrix == 0 ? scalars.a : matrix == 1 ? scalars.b : products;
    out = wire_polynomials(r1cs, lagrange, static_cast<Matrix>(matrix));
  });
  const std::size_t publics = r1cs.shape().publics() + std::size_t{1};
  const Fr by_gamma = trapdoor.gamma.inverse(), by_delta = trapdoor.delta.inverse();
  scalars.ic.resize(publics);
  scalars.c.resize(scalars.a.size() - publics);
  team.for_ranges(scalars.a.size(), 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Fr combined = trapdoor.beta * scalars.a[i] + trapdoor.alpha * scalars.b[i] + products[i];
      (i < publics ? scalars.ic[i] : scalars.c[i - publics]) = combined * (i < publics ? by_gamma : by_delta);
    }
  });
  scalars.h = quotient_scalars(team, trapdoor, domain);
  return scalars;
}

template <class Fr>
std::vector<circuit::Coefficient> setup_coefficients(const circuit::R1cs& r1cs) {
  const auto squared = [](const circuit::Scalar& plain) {  // n R^2: Montgomery form of Montgomery form
    return Fr::from_limbs(Fr::from_limbs(plain).montgomery_limbs()).montgomery_limbs();
  };
  std::size_t count = r1cs.shape().publics() + std::size_t{1};
  for (std::uint32_t row = 0; row < r1cs.shape().constraints; ++row) {
    const circuit::Constraint constraint = r1cs.constraint(row);
    count += constraint.a.terms.size() + constraint.b.terms.size();
  }
  std::vector<circuit::Coefficient> entries;
  entries.reserve(count);
  for (std::uint32_t row = 0; row < r1cs.shape().constraints; ++row) {
    const circuit::Constraint constraint = r1cs.constraint(row);
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      const auto& terms = row_of(constraint, matrix).terms;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const LinearCombination::Term term = terms[i];
        const auto number = static_cast<std::uint32_t>(matrix);
        entries.push_back(coefficient(number, row, term.wire, squared(coefficient_of(term))));
      }
    }
  }
  const circuit::Scalar one = squared({1, 0, 0, 0});
  for (std::uint32_t wire = 0; wire <= r1cs.shape().publics(); ++wire)
    entries.push_back(coefficient(0, r1cs.shape().constraints + wire, wire, one));
  return entries;
}

template bool is_usable(const Trapdoor<algebra::Bn254::Fr>&, const SetupDomain<algebra::Bn254::Fr>&);
template SetupScalars<algebra::Bn254::Fr> setup_scalars(ThreadTeam&, const circuit::R1cs&,
                                                        const Trapdoor<algebra::Bn254::Fr>&,
                                                        const SetupDomain<algebra::Bn254::Fr>&);
template std::vector<circuit::Coefficient> setup_coefficients<algebra::Bn254::Fr>(const circuit::R1cs&);
template bool is_usable(const Trapdoor<algebra::Bls12_381::Fr>&, const SetupDomain<algebra::Bls12_381::Fr>&);
template SetupScalars<algebra::Bls12_381::Fr> setup_scalars(ThreadTeam&, const circuit::R1cs&,
                                                            const Trapdoor<algebra::Bls12_381::Fr>&,
                                                            const SetupDomain<algebra::Bls12_381::Fr>&);
template std::vector<circuit::Coefficient> setup_coefficients<algebra::Bls12_381::Fr>(const circuit::R1cs&);

}  // namespace penstock::groth16
