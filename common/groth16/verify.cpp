#include "common/groth16/verify.hpp"

#include "common/groth16/verifier.hpp"

namespace penstock::groth16 {

Result<std::unique_ptr<PreparedVerifier>> prepare_verifier(const circuit::AnyVerificationKey& key) {
  return std::visit([](const auto& typed) { return make_verifier(typed); }, key);
}

Status verify(const circuit::AnyVerificationKey& key, const circuit::PublicSignals& publics,
              const circuit::AnyProof& proof) {
  const std::unique_ptr<PreparedVerifier> verifier = PENSTOCK_TRY(prepare_verifier(key));
  return verifier->verify(publics, proof);
}

}  // namespace penstock::groth16
