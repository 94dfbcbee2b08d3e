// A circuit of tests/vectors, opened: key, witness, verification key.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "common/circuit/proof_json.hpp"
#include "common/circuit/proving_key.hpp"
#include "common/circuit/witness.hpp"

namespace penstock::groth16::testing {

inline constexpr CurveId curves[] = {CurveId::bn254, CurveId::bls12_381};
inline constexpr const char* circuits[] = {"mul", "chain", "nopub", "unused", "square", "linear"};

inline std::filesystem::path vector_path(CurveId curve, const std::string& file) {
  return std::filesystem::path(PENSTOCK_TEST_VECTORS) / name(curve) / file;
}
inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The value, or a test that stops here with the error's text.
template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(to_string(result.error()));
  return std::move(result).value();
}
/// The label of a result's error, or "ok".
template <class T>
std::string outcome(const Result<T>& result) {
  return result.ok() ? "ok" : std::string(name(result.error().code));
}

struct VectorCircuit {
  std::shared_ptr<const circuit::ProvingKey> key;
  circuit::Witness witness;
  circuit::AnyVerificationKey verification_key;

  VectorCircuit(CurveId curve, const std::string& circuit)
      : VectorCircuit(curve, circuit + ".zkey", circuit + ".wtns", circuit + ".vk.json") {}
  VectorCircuit(CurveId curve, const std::string& key_file, const std::string& witness_file,
                const std::string& vk_file)
      : key(value_of(circuit::ProvingKey::open(vector_path(curve, key_file)))),
        witness(value_of(circuit::Witness::read(vector_path(curve, witness_file)))),
        verification_key(
            value_of(circuit::verification_key_from_json(read_text(vector_path(curve, vk_file))))) {}
};

}  // namespace penstock::groth16::testing
