#include <string>

#include "common/circuit/bounded_json.hpp"
#include "common/circuit/curve_primes.hpp"
#include "common/circuit/limb_text.hpp"
#include "common/circuit/point_checks.hpp"
#include "common/circuit/proof_json.hpp"

namespace penstock::circuit {
namespace {

using Json = nlohmann::json;

constexpr JsonLimits proof_limits{.max_bytes = 64U << 10, .max_depth = 4};
constexpr JsonLimits publics_limits{.max_bytes = 64U << 20, .max_depth = 1};
constexpr JsonLimits key_limits{.max_bytes = 256U << 20, .max_depth = 6};
constexpr std::uint64_t max_exact_number = (std::uint64_t{1} << 53) - 1;  // JavaScript's

Error bad(const std::string& what, std::string hint = {}) {
  return Error{.code = ErrorCode::bad_format, .what = what, .hint = std::move(hint)};
}

Result<const Json*> member(const Json& object, const char* key, const std::string& document) {
  if (!object.is_object()) return bad(document + " is not a JSON object");
  const auto found = object.find(key);
  if (found == object.end()) return bad(document + " has no \"" + key + "\"");
  return &*found;
}

/// A decimal or 0x string, or a number that JavaScript holds exactly.
template <std::size_t N>
Result<std::array<std::uint64_t, N>> integer(const Json& json, const std::string& where) {
  if (json.is_number_unsigned() && json.get<std::uint64_t>() <= max_exact_number)
    return std::array<std::uint64_t, N>{json.get<std::uint64_t>()};
  if (!json.is_string()) return bad(where + " is not a decimal string");
  const auto& text = json.get_ref<const std::string&>();
  if (const auto limbs = limbs_from_text<N>(text)) return *limbs;
  return bad(where + " is not a decimal or 0x number of " + std::to_string(64 * N) + " bits or less");
}

template <class F>
struct Coordinates;

template <class P>
struct Coordinates<algebra::Field<P>> {
  using F = algebra::Field<P>;
  static Result<F> read(const Json& json, const std::string& where) {
    const auto limbs = PENSTOCK_TRY(integer<F::limb_count>(json, where));
    if (!F::is_canonical(limbs))
      return Error{.code = ErrorCode::not_canonical, .what = where + " is not below the base field's prime"};
    return F::from_limbs(limbs);
  }
};

template <class F>
struct Coordinates<algebra::Fp2<F>> {
  static Result<algebra::Fp2<F>> read(const Json& json, const std::string& where) {
    if (!json.is_array() || json.size() != 2) return bad(where + " is not a pair of numbers");
    algebra::Fp2<F> value;
    value.c0 = PENSTOCK_TRY(Coordinates<F>::read(json[0], where));
    value.c1 = PENSTOCK_TRY(Coordinates<F>::read(json[1], where));
    return value;
  }
};

/// [x, y, 1], or [0, 1, 0] for infinity; on the curve and in the subgroup.
template <class C, class F>
Result<algebra::Affine<F>> point(const Json& json, const std::string& where) {
  if (!json.is_array() || json.size() != 3) return bad(where + " is not a point [x, y, z]");
  algebra::Affine<F> value;
  value.x = PENSTOCK_TRY(Coordinates<F>::read(json[0], where));
  value.y = PENSTOCK_TRY(Coordinates<F>::read(json[1], where));
  const auto z = PENSTOCK_TRY(Coordinates<F>::read(json[2], where));
  if (z.is_zero() && value.x.is_zero() && value.y == F::one()) return algebra::Affine<F>::infinity();
  if (!(z == F::one())) return bad(where + " is not affine: z must be 1", "infinity is written 0, 1, 0");
  // (0, 0) with z = 1 is on neither curve, but it is how memory spells infinity.
  if (value.is_infinity())
    return Error{.code = ErrorCode::point_off_curve, .what = where + " is off the curve"};
  PENSTOCK_TRY(check_point<C>(value, where));
  return value;
}

Status check_protocol(const Json& protocol, const std::string& document) {
  if (!protocol.is_string()) return bad(document + "'s protocol is not a string");
  const auto& called = protocol.get_ref<const std::string&>();
  if (called == "groth16") return {};
  return Error{.code = ErrorCode::unsupported_protocol,
               .what = document + " is for the protocol " + printable(called),
               .hint = "only groth16 is supported"};
}

Result<CurveId> named_curve(const Json& curve, const std::string& document) {
  if (!curve.is_string()) return bad(document + "'s curve is not a string");
  const auto& called = curve.get_ref<const std::string&>();
  if (const auto known = curve_from(called)) return *known;
  return Error{.code = ErrorCode::curve_mismatch,
               .what = document + " is for the curve " + printable(called),
               .hint = "supported are bn128 and bls12381"};
}

template <class C, class F>
Result<algebra::Affine<F>> named_point(const Json& object, const char* key, const std::string& document) {
  const auto* json = PENSTOCK_TRY(member(object, key, document));
  return point<C, F>(*json, key);
}

/// A key's own points: no setup makes one of them infinity, and with delta or gamma there anything would
/// verify.
template <class C, class F>
Result<algebra::Affine<F>> finite_point(const Json& object, const char* key, const std::string& document) {
  const auto found = PENSTOCK_TRY(named_point<C, F>(object, key, document));
  if (!found.is_infinity()) return found;
  return Error{.code = ErrorCode::point_off_curve, .what = std::string(key) + " is the point at infinity"};
}

template <class C>
Result<AnyProof> read_proof(const Json& json, const std::string& document) {
  Proof<C> proof;
  proof.a = PENSTOCK_TRY(named_point<C, typename C::Fp>(json, "pi_a", document));
  proof.b = PENSTOCK_TRY(named_point<C, typename C::Fp2>(json, "pi_b", document));
  proof.c = PENSTOCK_TRY(named_point<C, typename C::Fp>(json, "pi_c", document));
  return AnyProof(proof);
}

/// The points that bind the publics: nPublic + 1 of them.
template <class C>
Result<std::vector<typename C::G1>> read_ic(const Json& json, const std::string& document) {
  const auto* ic = PENSTOCK_TRY(member(json, "IC", document));
  const auto* publics = PENSTOCK_TRY(member(json, "nPublic", document));
  if (!ic->is_array() || ic->empty()) return bad("IC is not an array of points");
  if (!publics->is_number_unsigned()) return bad("nPublic is not a count");
  const auto announced = publics->get<std::uint64_t>();
  if (announced != ic->size() - 1)
    return Error{.code = ErrorCode::size_mismatch,
                 .what = "IC holds " + std::to_string(ic->size()) + " points, nPublic says " +
                         std::to_string(announced)};
  std::vector<typename C::G1> points;
  points.reserve(ic->size());
  for (std::size_t i = 0; i < ic->size(); ++i) {
    const auto base = PENSTOCK_TRY(point<C, typename C::Fp>((*ic)[i], "IC[" + std::to_string(i) + "]"));
    points.push_back(base);
  }
  return points;
}

template <class C>
Result<AnyVerificationKey> read_key(const Json& json, const std::string& document) {
  VerificationKey<C> key;
  key.alpha1 = PENSTOCK_TRY(finite_point<C, typename C::Fp>(json, "vk_alpha_1", document));
  key.beta2 = PENSTOCK_TRY(finite_point<C, typename C::Fp2>(json, "vk_beta_2", document));
  key.gamma2 = PENSTOCK_TRY(finite_point<C, typename C::Fp2>(json, "vk_gamma_2", document));
  key.delta2 = PENSTOCK_TRY(finite_point<C, typename C::Fp2>(json, "vk_delta_2", document));
  key.ic = PENSTOCK_TRY(read_ic<C>(json, document));
  return AnyVerificationKey(std::move(key));
}

}  // namespace

Result<AnyProof> proof_from_json(std::string_view text, CurveId curve) {
  const std::string document = "the proof";
  const auto json = PENSTOCK_TRY(parse_json(text, proof_limits, document));
  if (!json.is_object()) return bad(document + " is not a JSON object");
  if (json.contains("protocol")) PENSTOCK_TRY(check_protocol(json["protocol"], document));
  if (json.contains("curve")) {
    const auto named = PENSTOCK_TRY(named_curve(json["curve"], document));
    if (named != curve)
      return Error{.code = ErrorCode::curve_mismatch,
                   .what = "the proof is on " + std::string(name(named)) + ", the verification key on " +
                           std::string(name(curve))};
  }
  return algebra::with_curve(curve,
                             [&]<class C>(std::type_identity<C>) { return read_proof<C>(json, document); });
}

Result<PublicSignals> publics_from_json(std::string_view text, CurveId curve) {
  const auto json = PENSTOCK_TRY(parse_json(text, publics_limits, "the public signals"));
  if (!json.is_array()) return bad("the public signals are not a JSON array");
  const Scalar modulus = scalar_modulus(curve);
  PublicSignals publics;
  publics.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string where = "public signal " + std::to_string(i);
    const auto value = PENSTOCK_TRY(integer<4>(json[i], where));
    if (!is_below(value, modulus))
      return Error{.code = ErrorCode::not_canonical,
                   .what = where + " is not below the scalar field's prime"};
    publics.push_back(value);
  }
  return publics;
}

Result<AnyVerificationKey> verification_key_from_json(std::string_view text) {
  const std::string document = "the verification key";
  const auto json = PENSTOCK_TRY(parse_json(text, key_limits, document));
  const auto* protocol = PENSTOCK_TRY(member(json, "protocol", document));
  PENSTOCK_TRY(check_protocol(*protocol, document));
  const auto* curve_name = PENSTOCK_TRY(member(json, "curve", document));
  const auto curve = PENSTOCK_TRY(named_curve(*curve_name, document));
  return algebra::with_curve(curve,
                             [&]<class C>(std::type_identity<C>) { return read_key<C>(json, document); });
}

std::optional<Scalar> scalar_from_text(std::string_view text) {
  return limbs_from_text<4>(text);
}

}  // namespace penstock::circuit
