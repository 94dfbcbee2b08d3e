// Any text as a proof, publics, a verification key and a symbol table: what is accepted is written and read
// again.
#include <cstdlib>

#include "common/circuit/proof_json.hpp"
#include "common/circuit/r1cs.hpp"
#include "tests/fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto curve : {CurveId::bn254, CurveId::bls12_381}) {
    const auto publics = circuit::publics_from_json(text, curve);
    if (publics.ok()) {
      const auto again = circuit::publics_from_json(circuit::to_json(*publics), curve);
      if (!again.ok() || *again != *publics) std::abort();
    }
    const auto proof = circuit::proof_from_json(text, curve);
    if (proof.ok() && !circuit::proof_from_json(circuit::to_json(*proof), curve).ok()) std::abort();
    if (proof.ok() && publics.ok()) std::abort();
  }
  const auto key = circuit::verification_key_from_json(text);
  if (key.ok() && !circuit::verification_key_from_json(circuit::to_json(*key)).ok()) std::abort();
  const fuzz::MemoryFile file(data, size);
  const auto symbols = circuit::SymbolTable::open(file.path());
  if (symbols.ok() && symbols->name_of(1).empty()) std::abort();
  return 0;
}
