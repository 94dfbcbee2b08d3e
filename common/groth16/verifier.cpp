#include "common/groth16/verifier.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/algebra/pairing.hpp"
#include "common/groth16/random_scalar.hpp"
#include "common/groth16/thread_team.hpp"

namespace penstock::groth16 {
namespace {

using circuit::PublicSignals;
using circuit::Scalar;

template <class C>
using Pairs = std::vector<algebra::PointPair<C>>;

template <class C, class Point>
Status check_point(const Point& point, const char* which) {
  if (!C::on_curve(point))
    return Error{ErrorCode::point_off_curve, std::string(which) + " is not on the curve"};
  if (!C::in_subgroup(point))
    return Error{ErrorCode::point_not_in_subgroup,
                 std::string(which) + " is not in the prime-order subgroup"};
  return {};
}

Error invalid() {
  return {ErrorCode::proof_invalid, "the proof does not verify"};
}

/// A weight of 128 random bits: a batch with a bad proof passes with probability 2^-128.
Scalar random_weight() {
  std::uint64_t words[2];
  os_random_bytes(std::as_writable_bytes(std::span(words)));
  return {words[0], words[1], 0, 0};
}

template <class C>
class Verifier final : public PreparedVerifier {
 public:
  using Fr = typename C::Fr;
  using G1 = typename C::G1;
  using G1Sum = typename C::G1Sum;

  explicit Verifier(const circuit::VerificationKey<C>& key)
      : key_(key), alpha_beta_(algebra::pairing<C>(key.alpha1, key.beta2)) {}

  Status verify(const PublicSignals& publics, const circuit::AnyProof& any) const override {
    PENSTOCK_TRY(check(publics, any));
    const auto& proof = std::get<circuit::Proof<C>>(any);
    // e(A, B) e(-IC, gamma) e(-C, delta) = e(alpha, beta)
    const Pairs<C> pairs = {{proof.a, proof.b}, {-public_sum(publics), key_.gamma2}, {-proof.c, key_.delta2}};
    if (algebra::final_exponentiation<C>(algebra::miller_loop<C>(pairs)) == alpha_beta_) return {};
    return invalid();
  }

  Status verify_batch(std::span<const Item> items, int threads) const override {
    if (items.empty()) return {};
    ThreadTeam team(static_cast<int>(
        std::min<std::size_t>(items.size(), static_cast<std::size_t>(std::max(threads, 0)))));
    PENSTOCK_TRY(check_all(items, team));
    if (holds_weighted(items, team)) return {};
    for (const Item& item : items) PENSTOCK_TRY(verify(*item.publics, *item.proof));
    return Error{ErrorCode::internal, "a batch failed whose proofs verify one by one"};
  }

 private:
  Status check(const PublicSignals& publics, const circuit::AnyProof& any) const {
    const auto* proof = std::get_if<circuit::Proof<C>>(&any);
    if (proof == nullptr)
      return Error{ErrorCode::curve_mismatch, "the proof is of curve " + std::string(name(curve_of(any))) +
                                                  ", the verification key of " + std::string(name(C::id))};
    if (publics.size() + 1 != key_.ic.size())
      return Error{ErrorCode::size_mismatch, "there are " + std::to_string(publics.size()) +
                                                 " public signals, the verification key has " +
                                                 std::to_string(key_.ic.size() - 1)};
    for (std::size_t i = 0; i < publics.size(); ++i)
      if (!Fr::is_canonical(publics[i]))
        return Error{ErrorCode::not_canonical,
                     "public signal " + std::to_string(i) + " is not below the scalar field's order"};
    PENSTOCK_TRY(check_point<C>(proof->a, "the proof's A"));
    PENSTOCK_TRY(check_point<C>(proof->b, "the proof's B"));
    return check_point<C>(proof->c, "the proof's C");
  }

  /// The error of the first bad one.
  Status check_all(std::span<const Item> items, ThreadTeam& team) const {
    std::vector<Status> outcomes(items.size());
    team.for_each(items.size(),
                  [&](std::size_t i, int) { outcomes[i] = check(*items[i].publics, *items[i].proof); });
    for (Status& outcome : outcomes) PENSTOCK_TRY(std::move(outcome));
    return {};
  }

  /// IC_0 + sum of publics_i IC_(i+1).
  G1 public_sum(const PublicSignals& publics) const {
    G1Sum sum = G1Sum::from(key_.ic[0]);
    for (std::size_t i = 0; i < publics.size(); ++i)
      sum.add(algebra::scalar_multiply<G1Sum>(key_.ic[i + 1], publics[i]));
    return sum.to_affine();
  }

  /// The product of e(z A, B) over the proofs times e(-z alpha, beta), e(-z IC, gamma), e(-z C, delta), each
  /// z summed.
  bool holds_weighted(std::span<const Item> items, ThreadTeam& team) const {
    Pairs<C> pairs(items.size());
    std::vector<Scalar> weights(items.size());
    std::vector<G1Sum> weighted_c(items.size());
    const std::size_t group =
        std::clamp<std::size_t>(items.size() / static_cast<std::size_t>(team.size()), 1, 32);
    const std::size_t groups = (items.size() + group - 1) / group;
    std::vector<typename C::Fp12> loops(groups);
    team.for_each(groups, [&](std::size_t g, int) {
      const std::size_t begin = g * group, end = std::min(begin + group, items.size());
      for (std::size_t i = begin; i < end; ++i) {
        const auto& proof = std::get<circuit::Proof<C>>(*items[i].proof);
        weights[i] = random_weight();
        pairs[i] = {algebra::scalar_multiply<G1Sum>(proof.a, weights[i]).to_affine(), proof.b};
        weighted_c[i] = algebra::scalar_multiply<G1Sum>(proof.c, weights[i]);
      }
      loops[g] =
          algebra::miller_loop<C>(std::span<const algebra::PointPair<C>>(pairs).subspan(begin, end - begin));
    });
    typename C::Fp12 product = algebra::miller_loop<C>(fixed_pairs(items, weights, weighted_c));
    for (const auto& loop : loops) product *= loop;
    return algebra::final_exponentiation<C>(product).is_one();
  }

  Pairs<C> fixed_pairs(std::span<const Item> items, std::span<const Scalar> weights,
                       std::span<const G1Sum> weighted_c) const {
    Fr weight_sum = Fr::zero();
    PublicSignals ic_scalars(key_.ic.size() - 1);
    std::vector<Fr> by_public(ic_scalars.size(), Fr::zero());
    G1Sum c = G1Sum::infinity();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Fr weight = Fr::from_limbs(weights[i]);
      weight_sum += weight;
      for (std::size_t j = 0; j < by_public.size(); ++j)
        by_public[j] += weight * Fr::from_limbs((*items[i].publics)[j]);
      c.add(weighted_c[i]);
    }
    G1Sum ic = algebra::scalar_multiply<G1Sum>(key_.ic[0], weight_sum.to_limbs());
    for (std::size_t j = 0; j < by_public.size(); ++j)
      ic.add(algebra::scalar_multiply<G1Sum>(key_.ic[j + 1], by_public[j].to_limbs()));
    const G1Sum alpha = algebra::scalar_multiply<G1Sum>(key_.alpha1, weight_sum.to_limbs());
    return {{-alpha.to_affine(), key_.beta2}, {-ic.to_affine(), key_.gamma2}, {-c.to_affine(), key_.delta2}};
  }

  circuit::VerificationKey<C> key_;
  typename C::Fp12 alpha_beta_;
};

template <class C>
Status check_key(const circuit::VerificationKey<C>& key) {
  if (key.ic.empty()) return Error{ErrorCode::size_mismatch, "the verification key has no IC point"};
  PENSTOCK_TRY(check_point<C>(key.alpha1, "alpha1"));
  PENSTOCK_TRY(check_point<C>(key.beta2, "beta2"));
  PENSTOCK_TRY(check_point<C>(key.gamma2, "gamma2"));
  PENSTOCK_TRY(check_point<C>(key.delta2, "delta2"));
  for (const auto& point : key.ic) PENSTOCK_TRY(check_point<C>(point, "an IC point"));
  return {};
}

}  // namespace

template <class C>
Result<std::unique_ptr<PreparedVerifier>> make_verifier(const circuit::VerificationKey<C>& key) {
  PENSTOCK_TRY(check_key(key));
  return std::make_unique<Verifier<C>>(key);
}

template Result<std::unique_ptr<PreparedVerifier>> make_verifier(
    const circuit::VerificationKey<algebra::Bn254>&);
template Result<std::unique_ptr<PreparedVerifier>> make_verifier(
    const circuit::VerificationKey<algebra::Bls12_381>&);

}  // namespace penstock::groth16
