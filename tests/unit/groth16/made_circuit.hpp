// A random circuit with a key of our own: R1CS, witness, setup.
#pragma once

#include "common/circuit/r1cs.hpp"
#include "common/groth16/host_device.hpp"
#include "common/groth16/prove.hpp"
#include "common/groth16/setup.hpp"
#include "tests/support/groth16/random_r1cs.hpp"
#include "tests/support/groth16/scratch_folder.hpp"
#include "tests/support/groth16/vector_circuit.hpp"

namespace penstock::groth16::testing {

struct MadeCircuit {
  ScratchFolder folder;
  std::vector<circuit::Scalar> wires;
  std::shared_ptr<const circuit::R1cs> r1cs;

  explicit MadeCircuit(const R1csRecipe& recipe)
      : wires(write_random_r1cs(recipe, folder / "c.r1cs")),
        r1cs(value_of(circuit::R1cs::open(folder / "c.r1cs"))) {}
  [[nodiscard]] circuit::WitnessView witness() const {
    return {r1cs->shape().curve, std::span<const circuit::Scalar>(wires)};
  }
  /// Proves with the key at `path` and verifies under its own verification key.
  [[nodiscard]] Result<ProvedPartition> prove_with(const std::filesystem::path& path) const {
    const auto device = make_host_device({.threads = 2});
    const auto key = PENSTOCK_TRY(circuit::ProvingKey::open(path));
    PENSTOCK_TRY(circuit::check_points(*key, nullptr, 2));
    PENSTOCK_TRY(circuit::check_key_matches(*key, *r1cs));
    const auto resident = PENSTOCK_TRY(device->load_circuit(key));
    const auto lane = PENSTOCK_TRY(device->open_lane());
    const auto verifier = PENSTOCK_TRY(prepare_verifier(key->verification_key()));
    OsBlindingSource blinding;
    return prove(*lane, *resident, *verifier, witness(), blinding);
  }
};

}  // namespace penstock::groth16::testing
