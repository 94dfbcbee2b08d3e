// snarkjs's JSON for proofs, public signals and verification keys (formats.md, "JSON").
// Errors: bad_format (not that JSON), not_canonical (a coordinate >= q, a public >= r), point_off_curve,
//   point_not_in_subgroup, curve_mismatch, unsupported_protocol, size_mismatch (IC length). Bounded input
//   sizes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/circuit/proof.hpp"

namespace penstock::circuit {

[[nodiscard]] std::string to_json(const AnyProof& proof);
[[nodiscard]] std::string to_json(const PublicSignals& publics);
/// Holds vk_alphabeta_12 too, as snarkjs does.
[[nodiscard]] std::string to_json(const AnyVerificationKey& key);

/// `curve` comes from the verification key; a curve or protocol named in the proof must agree with it.
[[nodiscard]] Result<AnyProof> proof_from_json(std::string_view text, CurveId curve);
/// Refuses a value >= the curve's r (not_canonical).
[[nodiscard]] Result<PublicSignals> publics_from_json(std::string_view text, CurveId curve);
[[nodiscard]] Result<AnyVerificationKey> verification_key_from_json(std::string_view text);

/// eip2537 is BLS12-381's precompiles' form; a BN254 proof has only snarkjs's (EIP-197's order) and gets it.
enum class CalldataFormat { snarkjs, eip2537 };
[[nodiscard]] std::string to_calldata(const AnyProof& proof, const PublicSignals& publics,
                                      CalldataFormat format);

/// Decimal text of a plain integer, and back (decimal or 0x; nullopt when it does not fit 256 bits).
[[nodiscard]] std::string to_decimal(const Scalar& value);
[[nodiscard]] std::optional<Scalar> scalar_from_text(std::string_view text);

}  // namespace penstock::circuit
