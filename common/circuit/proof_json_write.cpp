// Proofs, publics and verification keys as snarkjs writes them: JSON.stringify(value, null, 1).
#include <nlohmann/json.hpp>

#include "common/algebra/pairing.hpp"
#include "common/circuit/limb_text.hpp"
#include "common/circuit/proof_json.hpp"

namespace penstock::circuit {
namespace {

using Json = nlohmann::ordered_json;

template <class P>
Json coordinate(const algebra::Field<P>& value) {
  return decimal_text(value.to_limbs());
}
template <class F>
Json coordinate(const algebra::Fp2<F>& value) {
  return Json::array({coordinate(value.c0), coordinate(value.c1)});
}

/// Projective with z = 1; infinity is (0, 1, 0).
template <class F>
Json point(const algebra::Affine<F>& value) {
  if (value.is_infinity())
    return Json::array({coordinate(F::zero()), coordinate(F::one()), coordinate(F::zero())});
  return Json::array({coordinate(value.x), coordinate(value.y), coordinate(F::one())});
}

template <class Fp12>
Json pairing_value(const Fp12& value) {
  Json halves = Json::array();
  for (const auto* half : {&value.c0, &value.c1})
    halves.push_back(Json::array({coordinate(half->c0), coordinate(half->c1), coordinate(half->c2)}));
  return halves;
}

std::string text_of(const Json& json) {
  return json.dump(1);
}

}  // namespace

std::string to_json(const AnyProof& any) {
  return std::visit(
      [&](const auto& proof) {
        return text_of({{"pi_a", point(proof.a)},
                        {"pi_b", point(proof.b)},
                        {"pi_c", point(proof.c)},
                        {"protocol", "groth16"},
                        {"curve", snarkjs_name(curve_of(any))}});
      },
      any);
}

std::string to_json(const PublicSignals& publics) {
  Json array = Json::array();
  for (const auto& value : publics) array.push_back(to_decimal(value));
  return text_of(array);
}

std::string to_json(const AnyVerificationKey& any) {
  return std::visit(
      [&]<class C>(const VerificationKey<C>& key) {
        Json ic = Json::array();
        for (const auto& base : key.ic) ic.push_back(point(base));
        return text_of({{"protocol", "groth16"},
                        {"curve", snarkjs_name(C::id)},
                        {"nPublic", key.ic.size() - 1},
                        {"vk_alpha_1", point(key.alpha1)},
                        {"vk_beta_2", point(key.beta2)},
                        {"vk_gamma_2", point(key.gamma2)},
                        {"vk_delta_2", point(key.delta2)},
                        {"vk_alphabeta_12", pairing_value(algebra::pairing<C>(key.alpha1, key.beta2))},
                        {"IC", std::move(ic)}});
      },
      any);
}

std::string to_decimal(const Scalar& value) {
  return decimal_text(value);
}

}  // namespace penstock::circuit
