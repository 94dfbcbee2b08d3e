// Groth16 verification: e(A,B) = e(alpha,beta) e(IC(publics),gamma) e(C,delta).
// Errors: proof_invalid (the equation fails), size_mismatch (number of publics), not_canonical,
// curve_mismatch.
//   Points were checked by the readers (on curve, in subgroup); verify() checks them again: a proof that came
//   from a device is not trusted either.
// Cost: one multi-Miller loop of 3 pairs; e(alpha,beta) is computed once in PreparedVerifier.
#pragma once

#include <memory>
#include <span>

#include "common/base/result.hpp"
#include "common/circuit/proof.hpp"

namespace penstock::groth16 {

class PreparedVerifier {
 public:
  virtual ~PreparedVerifier() = default;
  /// Threads: any, concurrently.
  [[nodiscard]] virtual Status verify(const circuit::PublicSignals& publics,
                                      const circuit::AnyProof& proof) const = 0;
  struct Item {
    const circuit::PublicSignals* publics;
    const circuit::AnyProof* proof;
  };
  /// All valid, or the error of the first bad one. Fresh 128-bit weights from the OS per call.
  [[nodiscard]] virtual Status verify_batch(std::span<const Item> items, int threads) const = 0;
};

[[nodiscard]] Result<std::unique_ptr<PreparedVerifier>> prepare_verifier(
    const circuit::AnyVerificationKey& key);
/// One-shot.
[[nodiscard]] Status verify(const circuit::AnyVerificationKey& key, const circuit::PublicSignals& publics,
                            const circuit::AnyProof& proof);

}  // namespace penstock::groth16
